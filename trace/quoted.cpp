#include "trace/quoted.h"

#include <algorithm>

namespace timeless::trace {

std::string quoted(std::string_view value) {
  constexpr std::size_t most = 60;
  std::string text(value.substr(0, most));
  // Bytes above 127 are left alone: they are letters in UTF-8.
  std::ranges::replace_if(
      text, [](unsigned char byte) { return byte < ' ' || byte == 0x7f; }, '?');
  return "'" + text + (value.size() > most ? "...'" : "'");
}

} // namespace timeless::trace
