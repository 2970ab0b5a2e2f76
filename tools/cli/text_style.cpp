#include "tools/cli/text_style.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>

namespace timeless::tools {

namespace {

std::string_view set_to(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? std::string_view() : value;
}

/// Returns whether the locale's characters are UTF-8: the first of these that is set says it, as setlocale() has it.
bool locale_is_utf8() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (std::string name(set_to(variable)); !name.empty()) {
      std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      return name.find("utf-8") != std::string::npos || name.find("utf8") != std::string::npos;
    }
  return false;
}

} // namespace

TextStyle output_style() {
  const std::string_view terminal = set_to("TERM");
  const bool colours = ::isatty(STDOUT_FILENO) != 0 && !terminal.empty() && terminal != "dumb";
  return {.unicode = locale_is_utf8(), .colour = colours && set_to("NO_COLOR").empty()};
}

} // namespace timeless::tools
