#include "tracer/settings.h"

#include "trace/error.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace timeless::tracer {

namespace {

constexpr std::size_t min_actions_per_block = 16;
constexpr std::size_t max_actions_per_block = std::size_t{1} << 20U;

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::size_t block_size(std::string_view text) {
  std::size_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || value < min_actions_per_block ||
      value > max_actions_per_block)
    throw Error(Failure::usage, "'" + std::string(text) + "' is no number of actions", "TIMELESS_BUFFER_SIZE",
                "give one between " + std::to_string(min_actions_per_block) + " and " +
                    std::to_string(max_actions_per_block));
  return value;
}

} // namespace

Settings read_settings() {
  Settings settings;
  if (const std::string_view directory = variable("TIMELESS_DIR"); !directory.empty()) settings.directory = directory;
  settings.directory = std::filesystem::absolute(settings.directory);
  settings.counter = variable("TIMELESS_COUNTER");
  if (const std::string_view start = variable("TIMELESS_START"); start == "pcontrol")
    settings.paused = true;
  else if (!start.empty() && start != "on")
    throw Error(Failure::usage, "'" + std::string(start) + "' is no way to start", "TIMELESS_START",
                "say 'on' or 'pcontrol'");
  if (const std::string_view size = variable("TIMELESS_BUFFER_SIZE"); !size.empty())
    settings.actions_per_block = block_size(size);
  const std::string_view verbose = variable("TIMELESS_VERBOSE");
  settings.verbose = !verbose.empty() && verbose != "0";
  settings.announced = variable("TIMELESS_ANNOUNCED") == "1";
  return settings;
}

} // namespace timeless::tracer
