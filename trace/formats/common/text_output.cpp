#include "trace/formats/common/text_output.h"

#include <charconv>

namespace timeless::trace::formats {

namespace {

constexpr std::size_t most_buffered = std::size_t{1} << 18;

void append(std::string& text, std::int64_t value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  text.append(digits, end);
}

} // namespace

void TextOutput::begin_line(std::int64_t first) {
  append(buffer_, first);
}

void TextOutput::word(std::string_view text) {
  buffer_ += ' ';
  buffer_ += text;
}

void TextOutput::number(std::int64_t value) {
  buffer_ += ' ';
  append(buffer_, value);
}

void TextOutput::numbers(std::initializer_list<std::int64_t> values) {
  for (const std::int64_t value : values)
    number(value);
}

void TextOutput::end_line() {
  buffer_ += '\n';
  if (buffer_.size() > most_buffered) flush();
}

void TextOutput::line(std::string_view text) {
  buffer_ += text;
  end_line();
}

void TextOutput::flush() {
  file_.write(buffer_);
  place_ += buffer_.size();
  buffer_.clear();
}

void TextOutput::overwrite(std::uint64_t place, std::string_view text) {
  flush();
  file_.write_over(place, text);
}

std::uint64_t TextOutput::finish() {
  flush();
  return file_.finish();
}

} // namespace timeless::trace::formats
