#include "trace/formats/text_output.h"

#include "trace/error.h"

#include <cerrno>
#include <charconv>
#include <cstring>

namespace timeless::trace::formats {

namespace {

constexpr std::size_t most_buffered = std::size_t{1} << 18;

void append(std::string& text, std::int64_t value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  text.append(digits, end);
}

} // namespace

TextOutput::TextOutput(const std::filesystem::path& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (!file_) fail();
}

void TextOutput::fail() const {
  throw Error(Failure::runtime, std::string("cannot write the file: ") + std::strerror(errno), path_.string());
}

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
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size()) fail();
  written_ += buffer_.size();
  buffer_.clear();
}

std::uint64_t TextOutput::finish() {
  flush();
  if (std::fclose(file_.release()) != 0) fail();
  return written_;
}

} // namespace timeless::trace::formats
