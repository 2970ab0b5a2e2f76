#include "tools/calibrating/launch_request.h"

#include "base/error.h"
#include "tools/cli/option_checks.h"

#include <CLI/CLI.hpp>

namespace timeless::tools {

void add_launch_options(CLI::App& command, LaunchRequest& request) {
  constexpr double most_seconds = 1e9;
  CLI::Option* const from =
      command.add_option("--from", request.from, "Launch nothing: use the recordings that --keep left here")
          ->type_name("DIR")
          ->always_capture_default(false);
  command.add_option("--launches", request.launches, "How often the program is launched, by each clock that is needed")
      ->check(count_between(1, 1000))
      ->excludes(from);
  command
      .add_option(
          "--limit", request.limit_seconds,
          "End a launch that takes longer: seconds, or as 90s, 2min, 3h; after the first, ten times the longest "
          "before and a minute is a limit, too")
      ->transform(time_with_unit())
      ->check(number_between(1, most_seconds).description(""))
      ->excludes(from);
  command.add_option("--keep", request.keep, "Keep the launches' recordings in this directory")
      ->type_name("DIR")
      ->always_capture_default(false)
      ->excludes(from);
}

void require_launches(const LaunchRequest& request, bool has_command) {
  if (has_command == request.from.empty()) return;
  throw Error(Failure::usage, has_command ? "--from uses what was launched before" : "nothing to launch", "",
              has_command ? "leave out the command, or --from"
                          : "write the command that starts the program after --, as without timeless");
}

} // namespace timeless::tools
