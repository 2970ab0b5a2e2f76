#include "trace/formats/common/text_lines.h"

#include "base/error.h"

#include <algorithm>

namespace timeless::trace::formats {

namespace {

constexpr std::size_t line_bytes_at_once = std::size_t{1} << 18;
/// A line with counts to and from a million ranks is shorter.
constexpr std::size_t longest_line = std::size_t{1} << 25;

} // namespace

TextLines::TextLines(const std::filesystem::path& path, std::uint64_t offset) : file_(path), buffer_offset_(offset) {}

bool TextLines::fill() {
  buffer_.erase(0, position_);
  buffer_offset_ += position_;
  position_ = 0;
  if (buffer_.size() > longest_line)
    throw Error(Failure::invalid_input, "a line of more than 32 MiB",
                file_.path().string() + ", line " + std::to_string(number_ + 1), "this is no such text");
  const std::string more = file_.read(buffer_offset_ + buffer_.size(), line_bytes_at_once);
  buffer_ += more;
  return !more.empty();
}

bool TextLines::next(std::string_view& line) {
  std::size_t searched = position_;
  std::size_t end = buffer_.find('\n', searched);
  while (end == std::string::npos) {
    searched = buffer_.size() - position_;
    if (!fill()) break;
    end = buffer_.find('\n', searched);
  }
  if (end == std::string::npos && position_ == buffer_.size()) return false;
  const std::size_t stop = end == std::string::npos ? buffer_.size() : end;
  line = std::string_view(buffer_).substr(position_, stop - position_);
  line_offset_ = buffer_offset_ + position_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  position_ = end == std::string::npos ? stop : stop + 1;
  ++number_;
  return true;
}

void split_words(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  std::size_t begin = line.find_first_not_of(" \t");
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(" \t", end);
  }
}

} // namespace timeless::trace::formats
