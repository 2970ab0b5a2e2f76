#include "tools/calibrating/ping_request.h"
#include "tools/cli/option_checks.h"

#include <CLI/CLI.hpp>

#include <cstdint>

namespace timeless::tools {

void add_ping_options(CLI::App& command, PingRequest& request) {
  command.add_option("-o,--output", request.output, "The raw file; standard output unless given")
      ->always_capture_default(false);
  command.add_option("--max-bytes", request.plan.most_bytes, "The largest message: bytes, or as 64KiB, 16MiB")
      ->transform(size_in_bytes(true));
  command
      .add_option("--sizes", request.plan.sizes,
                  "Sizes that a message in four has, of those up to the largest; the others are drawn")
      ->delimiter(',')
      ->type_name("BYTES,...")
      ->allow_extra_args(false)
      ->transform(size_in_bytes(true))
      ->default_str("");
  command.add_option("--budget", request.plan.budget, "How long to measure: seconds, or as 90s, 2min")
      ->transform(time_with_unit())
      ->check(budget_seconds());
  command.add_option("--seed", request.plan.seed, "Of the messages' sizes and of the order of experiments")
      ->check(any_count());
  command.add_flag("--force", request.force, "Replace an existing output");
}

} // namespace timeless::tools
