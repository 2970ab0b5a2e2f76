#include "base/files/new_file.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/option_groups.h"
#include "tools/cli/trace_input.h"
#include "tools/render/answer.h"
#include "tools/render/extrapolating/extrapolated.h"
#include "tools/verbs/verbs.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

struct ExtrapolateOptions {
  ExtrapolationRequest request;
  bool json = false;
};

int extrapolate(const ExtrapolateOptions& options) {
  const ExtrapolationRequest& request = options.request;
  demand_different_traces("extrapolate", request.runs, request.from);
  const std::vector<std::filesystem::path> inputs(request.runs.begin(), request.runs.end());
  demand_output_apart(request.output, inputs);
  print_answer("extrapolate", 1, answer_extrapolation(request), options.json);
  return exit_ok;
}

} // namespace

VerbAction add_extrapolate(CLI::App& command) {
  auto options = std::make_shared<ExtrapolateOptions>();
  ExtrapolationRequest& request = options->request;
  add_traces_argument(command, request.runs, request.from);
  command.add_flag("--ignore-arguments", request.ignore_arguments,
                   "Take the runs for one problem, though their programs were started with other arguments");
  begin_group(command, "The run to make");
  command.add_option("--ranks", request.ranks, "How many ranks it has")
      ->required()
      ->check(count_from(2))
      ->always_capture_default(false);
  command
      .add_option("--grid", request.grid,
                  "The grid of its ranks, the side that varies fastest last, where that is not made as MPI_Dims_create "
                  "makes it")
      ->type_name("AxB[xC]")
      ->always_capture_default(false);
  command
      .add_option("--tolerance", request.tolerance,
                  "Let a rank's work be this many per cent off, where no law is exact; partners and bytes stay exact")
      ->transform(signed_percents())
      ->default_str("1%");
  command
      .add_option(
          "--seed", request.seed,
          "Draw volumes that ranks in the same position differ by without a law, by this seed; the archive says so")
      ->type_name("N")
      ->check(any_count())
      ->always_capture_default(false);
  command
      .add_option("--check", request.check,
                  "A recording of as many ranks, to compare action by action with what was made")
      ->type_name("TRACE")
      ->always_capture_default(false);
  begin_group(command, "Output");
  command.add_option("-o,--output", request.output, "The archive to write")->required();
  command.add_flag("--force", request.force, "Replace an existing output");
  command.add_option("--top", request.top, "How many laws to list; 0 for all")->check(count_from(0));
  add_symbols_option(command, request.symbols);
  command.add_flag("--json", options->json, "Print JSON (schema timeless.extrapolate/1)");
  command.footer(
      "Exit status: 0, 2 with fewer than three numbers of ranks, 3 for runs that do not belong together, 5 for what "
      "is not understood: nothing is written then.\n"
      "Example: timeless extrapolate run-8.tia run-16.tia run-32.tia run-64.tia --ranks 1024 -o run-1024.tia");
  return [options] { return extrapolate(*options); };
}

} // namespace timeless::tools
