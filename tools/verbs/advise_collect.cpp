#include "tools/verbs/advise.h"

#include "tools/cli/option_checks.h"
#include "tools/cli/option_groups.h"
#include "tools/cli/trace_input.h"
#include "tools/machines/machine_list.h"
#include "tools/machines/named_platforms.h"
#include "tools/render/advising/advising.h"
#include "tools/render/answer.h"
#include "tools/replaying/factors.h"

#include "base/error.h"
#include "base/files/new_file.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

struct CollectOptions {
  CollectRequest request;
  std::string cpu = "x1";
  bool contention = false;
  bool json = false;
};

int collect_rows(CollectOptions& options) {
  CollectRequest& request = options.request;
  PredictionOptions& asked = request.prediction;
  if (request.traces.empty()) {
    if (request.simulations != Simulations::none) throw Error(Failure::usage, "no trace", {}, "name some recordings");
    print_answer("advise", 1, FeaturesAnswer{}, options.json);
    return exit_ok;
  }
  if (options.contention) request.simulations = Simulations::shared_and_unshared;
  if (request.output.empty()) throw Error(Failure::usage, "no output is named", "-o", "give -o data.csv");
  asked.compute = parse_speeds(options.cpu, "--cpu");
  take_machines(asked.machine, asked.platforms);
  const std::vector<std::filesystem::path> inputs(request.traces.begin(), request.traces.end());
  demand_output_apart(request.output, inputs);
  const CollectAnswer answer = collect(request);
  print_answer("advise", 1, answer, options.json);
  if (!answer.refused.empty()) return static_cast<int>(Failure::partial);
  return exit_ok;
}

VerbAction add_collection(CLI::App& command, bool simulate) {
  auto options = std::make_shared<CollectOptions>();
  CollectRequest& request = options->request;
  request.simulations = simulate ? Simulations::shared : Simulations::none;
  add_traces_argument(command, request.traces, request.prediction.from);
  command.get_option("trace")->required(false);
  begin_group(command, "Machines");
  add_platform_option(command, request.prediction.platforms, "--platform,--platforms");
  add_placement_options(command, request.prediction.machine);
  command.get_option("--compute-rate")->default_str("the platform's speeds");
  command.add_option("--cpu,--compute", options->cpu, "How much faster processors are, each a row: /4,x1,x4")
      ->type_name("FACTORS");
  begin_group(command, "Output");
  command
      .add_option("-o,--output", request.output,
                  "The rows, as CSV; those that are there are not collected again (at another --compute-rate, too: "
                  "give it a file of its own)")
      ->type_name("FILE")
      ->always_capture_default(false);
  if (simulate)
    command.add_flag("--contention", options->contention,
                     "Simulate on links that nobody shares, too: what contention alone makes of the time");
  command.add_flag("--synthetic", request.synthetic, "The programs are generated: they train, and are not tested on");
  command.add_option("--jobs", request.jobs, "Processes at a time")->check(count_from(1));
  command.add_flag("--force", request.force, "Begin anew where the output exists");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.advise/1)");
  return [options] { return collect_rows(*options); };
}

} // namespace

VerbAction add_advise_features(CLI::App& command) {
  command.footer("Without traces: the features there are.\n"
                 "Example: timeless advise features run.tia --platform graphene -o features.csv");
  return add_collection(command, false);
}

VerbAction add_advise_collect(CLI::App& command) {
  command.footer(
      "Exit status: 0, 6 where some runs on platforms gave no row: what they say is printed.\n"
      "Example: timeless advise collect *.tia --platform graphene,cloud --cpu /4,x1,x4 --jobs 2 -o data.csv");
  return add_collection(command, true);
}

} // namespace timeless::tools
