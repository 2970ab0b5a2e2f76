#include "trace/quoted.h"

#include <algorithm>

namespace timeless::trace {

std::string quoted(std::string_view value) {
  constexpr std::size_t most = 60;
  return "'" + in_one_line(std::string(value.substr(0, most))) + (value.size() > most ? "...'" : "'");
}

std::string in_one_line(std::string text) {
  // Bytes above 127 are left alone: they are letters in UTF-8.
  std::ranges::replace_if(
      text, [](unsigned char byte) { return byte < ' ' || byte == 0x7f; }, '?');
  return text;
}

} // namespace timeless::trace
