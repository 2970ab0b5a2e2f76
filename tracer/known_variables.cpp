#include "tracer/known_variables.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace timeless::tracer {

namespace {

constexpr std::string_view prefix = "TIMELESS_";
constexpr std::array<std::string_view, 13> known = {
    "BUFFER_SIZE",         "COUNTER", "DIR", "ICOUNT_NAME", "ICOUNT_PASSAGE", "ICOUNT_TOOL",
    "ICOUNT_VALGRIND_LIB", "PROFILE", "RUN", "STACK",       "START",          "TIMESTAMPS",
    "VERBOSE"};

} // namespace

std::vector<std::string> unknown_variables() {
  std::vector<std::string> unknown;
  for (char** setting = environ; *setting != nullptr; ++setting) {
    const std::string_view text = *setting;
    if (!text.starts_with(prefix)) continue;
    const std::string_view name = text.substr(prefix.size(), text.find('=') - prefix.size());
    if (std::ranges::find(known, name) == known.end()) unknown.emplace_back(text.substr(0, text.find('=')));
  }
  return unknown;
}

} // namespace timeless::tracer
