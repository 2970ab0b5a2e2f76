#include "tracer/settings/settings.h"

#include "base/error.h"
#include "base/escaping.h"
#include "tracer/sites/call_path.h"

#include <charconv>
#include <climits>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace timeless::tracer {

namespace {

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

struct Range {
  std::size_t least;
  std::size_t most;
};

/// Returns the variable's number of something, or `otherwise` when it is not set.
std::size_t number(const char* name, const char* of, Range range, std::size_t otherwise) {
  const std::string_view text = variable(name);
  if (text.empty()) return otherwise;
  std::size_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || value < range.least || value > range.most)
    throw Error(Failure::usage, in_quotes(text) + " is no number of " + of, name,
                "give one between " + std::to_string(range.least) + " and " + std::to_string(range.most));
  return value;
}

bool yes_or_no(const char* name) {
  const std::string_view text = variable(name);
  if (text != "1" && text != "0" && !text.empty())
    throw Error(Failure::usage, in_quotes(text) + " is neither yes nor no", name, "say 1 or 0");
  return text == "1";
}

} // namespace

std::filesystem::path trace_directory() {
  const std::string_view given = variable("TIMELESS_DIR");
  const std::filesystem::path directory = given.empty() ? std::string_view("timeless-trace") : given;
  std::error_code failure;
  const std::filesystem::path absolute = std::filesystem::absolute(directory, failure);
  return failure ? directory : absolute;
}

Settings read_settings() {
  Settings settings;
  settings.directory = trace_directory();
  if (settings.directory.native().size() >= PATH_MAX)
    throw Error(Failure::runtime, in_quotes(settings.directory.native()) + " is longer than a path can be",
                "TIMELESS_DIR", "set it to a directory this host can write to");
  settings.counter = variable("TIMELESS_COUNTER");
  if (const std::string_view start = variable("TIMELESS_START"); start == "pcontrol")
    settings.paused = true;
  else if (!start.empty() && start != "on")
    throw Error(Failure::usage, in_quotes(start) + " is no way to start", "TIMELESS_START", "say 'on' or 'pcontrol'");
  settings.actions_per_block =
      number("TIMELESS_BUFFER_SIZE", "actions", {16, std::size_t{1} << 20U}, settings.actions_per_block);
  settings.stack_depth = number("TIMELESS_STACK", "frames", {1, max_stack_depth}, settings.stack_depth);
  settings.timestamps = yes_or_no("TIMELESS_TIMESTAMPS");
  settings.profile = variable("TIMELESS_PROFILE");
  const std::string_view verbose = variable("TIMELESS_VERBOSE");
  settings.verbose = !verbose.empty() && verbose != "0";
  settings.recording = static_cast<std::uint32_t>(
      number("TIMELESS_RUN", "a recording", {1, std::numeric_limits<std::uint32_t>::max()}, 0));
  return settings;
}

} // namespace timeless::tracer
