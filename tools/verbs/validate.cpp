#include "tools/calibrating/launch_request.h"
#include "tools/cli/console.h"
#include "tools/cli/exit_status.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/option_groups.h"
#include "tools/cli/words_usage.h"
#include "tools/render/answer.h"
#include "tools/render/validation/validation.h"
#include "tools/validating/validation.h"
#include "tools/verbs/verbs.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

namespace timeless::tools {

namespace {

struct ValidateOptions {
  ValidationRequest request;
  LaunchRequest launches;
  std::optional<double> fail_on; ///< percent
  bool json = false;
};

int validate_command(ValidateOptions& options) {
  const LaunchRequest& launches = options.launches;
  require_launches(launches, !options.request.command.empty());
  take_machines(options.request.machine.machine, options.request.machine.platforms);
  options.request.launches = launches.launches;
  options.request.limit = launches.limit();
  options.request.keep = launches.keep;
  options.request.from = launches.from;
  const Validation validation = validate(options.request);
  print_answer("validate", 1, validation, options.json);
  const bool failed =
      options.fail_on && std::ranges::any_of(validation.predictions, [&](const ValidatedPrediction& one) {
        return one.makespan.distinguishable() && 100 * std::abs(one.makespan.error()) > *options.fail_on;
      });
  return failed ? exit_condition_met : exit_ok;
}

} // namespace

VerbAction add_validate(CLI::App& command) {
  auto options = std::make_shared<ValidateOptions>();
  PredictionOptions& machine = options->request.machine;
  begin_group(command, "Machine");
  add_network_option(command, machine.machine,
                     "The network to predict on: a file of timeless calibrate network, or a name");
  add_platform_option(command, machine.platforms);
  command.get_option("--platform")
      ->description("A platform file or name in place of the network: predicts by the model and by SMPI");
  add_placement_options(command, machine.machine);
  begin_group(command, "Program");
  command
      .add_option("--trace", options->request.trace,
                  "Predict from this recording, of the same program and input; else the command is recorded")
      ->type_name("FILE")
      ->always_capture_default(false);
  add_launch_options(command, options->launches);
  begin_group(command, "Output");
  command
      .add_option("--fail-on", options->fail_on,
                  "Exit with 4 when a makespan is off by more than so many per cent, and by more than launches differ")
      ->transform(percents())
      ->type_name("PERCENT");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.validate/1)");
  add_command_words(command, "command", options->request.command,
                    "The command that starts the program, as without timeless", "[--] command...")
      ->default_str("");
  command.footer("Example: timeless validate --network mine.json --rates rates.json -- mpirun -np 2 ./program");
  return [options] { return validate_command(*options); };
}

} // namespace timeless::tools
