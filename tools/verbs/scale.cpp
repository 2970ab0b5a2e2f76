#include "base/files/new_file.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/option_groups.h"
#include "tools/cli/trace_input.h"
#include "tools/machines/preset_machine.h"
#include "tools/render/answer.h"
#include "tools/render/scaling/scaling.h"
#include "tools/verbs/verbs.h"

#include <fmt/format.h>

#include <memory>
#include <string>

namespace timeless::tools {

namespace {

struct ScaleOptions {
  ScalingRequest request;
  std::string extra_p;
  bool json = false;
  bool csv = false;
};

int scale(ScaleOptions& options) {
  ScalingRequest& request = options.request;
  take_machines(request.machine, request.platforms);
  demand_different_traces("scale", options.request.runs, options.request.from);
  const ScalingAnswer answer = answer_scaling(options.request);
  if (!options.extra_p.empty()) write_file(options.extra_p, to_extra_p(answer), Existing::replace);
  if (options.csv)
    fmt::print("{}", to_csv(answer));
  else
    print_answer("scale", 1, answer, options.json);
  return exit_ok;
}

} // namespace

VerbAction add_scale(CLI::App& command) {
  auto options = std::make_shared<ScaleOptions>();
  ScalingRequest& request = options->request;
  add_traces_argument(command, request.runs, request.from);
  command.add_option("--check", request.check, "A further run, that the laws are verified with")
      ->type_name("TRACE")
      ->always_capture_default(false);
  command
      .add_option("--size-of", request.size_of,
                  "How large a run's problem is, of each run: for runs of several sizes, or the same size per rank")
      ->type_name("RUN=N")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_flag("--ignore-arguments", request.ignore_arguments,
                   "Take the runs for one problem, though their programs were started with other arguments");
  begin_group(command, "Machine");
  add_network_option(command, request.machine, "The network that times are for, by name or file");
  add_platform_option(command, request.platforms);
  add_where_option(command, request.machine);
  add_placement_options(command, request.machine);
  begin_group(command, "Answers");
  command
      .add_option("--to", request.to,
                  "Numbers of ranks to say the figures of; with a size of the problem where the runs' do not say it")
      ->type_name("RANKS[=N]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->required();
  command
      .add_option("--tolerance", request.tolerance,
                  "Replay targets whose ranks' work may be this many per cent off, where no law is exact; partners and "
                  "bytes stay exact")
      ->transform(signed_percents())
      ->default_str("1%");
  command.add_flag("--grids", request.grids,
                   "Replay the last target's ranks as other grids, too: what another decomposition would gain");
  auto* const why = command.add_flag(
      "--why", request.why, "Say what the run of most ranks loses against that of fewest, and by which kernels");
  command.add_option("--between", request.between, "Compare these two numbers of ranks instead, recorded or of --to")
      ->type_name("RANKS,RANKS")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(why)
      ->default_str("the fewest and the most recorded");
  command.add_option("--top", request.top, "How many kernels and calls to list; 0 for all")->check(count_from(0));
  add_symbols_option(command, request.symbols);
  begin_group(command, "Output");
  auto* const json = command.add_flag("--json", options->json, "Print JSON (schema timeless.scale/1)");
  command
      .add_flag(
          "--csv", options->csv,
          "Print comma-separated values: a row for each metric of each kernel, call, region and function, and target")
      ->excludes(json);
  command
      .add_option("--extrap", options->extra_p,
                  "Also write the runs' figures to a file, in the JSON lines that Extra-P reads")
      ->type_name("FILE")
      ->always_capture_default(false);
  command.footer(
      "Exit status: 0; 2 with fewer than three numbers of ranks or, with --size-of, sizes; 3 for runs that do not "
      "belong together; 5 where "
      "--between names a target of which no trace can be extrapolated.\n"
      "Example: timeless scale run-8.tia run-16.tia run-32.tia run-64.tia --check run-128.tia --to 256,1024");
  return [options] { return scale(*options); };
}

} // namespace timeless::tools
