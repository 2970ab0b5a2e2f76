#include "tracer/settings/known_variables.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace timeless::tracer {

namespace {

constexpr std::string_view our_prefix = "TIMELESS_";
constexpr std::array<std::string_view, 14> known_names = {
    "BUFFER_SIZE", "COUNTER", "DIR",       "ICOUNT_NAME", "ICOUNT_REEXEC", "ICOUNT_TOOL", "ICOUNT_VALGRIND_LIB",
    "PROFILE",     "RUN",     "SELF_TEST", "STACK",       "START",         "TIMESTAMPS",  "VERBOSE"};

} // namespace

std::vector<std::string> unknown_variables() {
  std::vector<std::string> unknown;
  for (char** setting = environ; *setting != nullptr; ++setting) {
    const std::string_view text = *setting;
    if (!text.starts_with(our_prefix)) continue;
    const std::string_view name = text.substr(our_prefix.size(), text.find('=') - our_prefix.size());
    if (std::ranges::find(known_names, name) == known_names.end()) unknown.emplace_back(text.substr(0, text.find('=')));
  }
  return unknown;
}

} // namespace timeless::tracer
