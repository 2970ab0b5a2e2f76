#include "tools/cli/option_groups.h"
#include "tools/verbs/calibrate.h"

#include "analysis/calibration/compute/rates.h"
#include "analysis/trace/kernel_figures.h"
#include "base/files/new_file.h"
#include "tools/calibrating/compute_measurement.h"
#include "tools/calibrating/launch_request.h"
#include "tools/calibrating/launches.h"
#include "tools/calibrating/rates_text.h"
#include "tools/cli/console.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/trace_input.h"
#include "tools/cli/words_usage.h"
#include "tools/recording/empty_loop.h"
#include "tools/render/answer.h"
#include "tools/render/calibration/compute.h"
#include "tools/symbols/kernel_places.h"
#include "tools/symbols/place_labels.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

struct ComputeOptions {
  std::string trace;
  std::string output;
  std::string name;
  LaunchRequest launches;
  double budget = 0;
  bool add = false;
  bool whole = false;
  bool force = false;
  bool json = false;
  std::size_t top = 10;
  std::vector<std::string> command;
};

Existing existing_file(const ComputeOptions& options) {
  return options.force || options.add ? Existing::replace : Existing::refuse;
}

std::string instance_name(const ComputeOptions& options) {
  if (!options.name.empty()) return options.name;
  const std::filesystem::path trace(options.trace);
  return (trace.has_filename() ? trace : trace.parent_path()).stem().string(); // of "run/" as of "run"
}

/// Before anything is launched.
void require_sense(const ComputeOptions& options) {
  if (options.output.empty()) throw Error(Failure::usage, "no output is named", "", "give -o rates.json");
  demand_free_output(options.output, existing_file(options));
  const std::filesystem::path inputs[] = {options.trace};
  demand_output_apart(options.output, inputs);
  require_launches(options.launches, !options.command.empty());
  if (!options.command.empty() &&
      (options.command.front().ends_with(".tia") || std::filesystem::is_directory(options.command.front())))
    throw Error(Failure::usage, "this is a recording, not the command of a program", options.command.front(),
                "calibrate one recording with its command, then the next with --add");
  if (options.add && options.whole)
    throw Error(Failure::usage, "--whole gives one rate for everything, to which nothing can be added", "--add",
                "leave one of them out");
}

/// Returns what the rates do not say as well as they look.
std::vector<std::string> shortcomings(const analysis::ComputeSpeeds& speeds, const MeasuredLaunches& measured) {
  constexpr double enough = 0.9;
  std::vector<std::string> sentences = measured.not_reached;
  if (speeds.coverage < enough)
    sentences.push_back(
        fmt::format("only {:.1f} % of the volume is in kernels with a rate of their own", 100 * speeds.coverage));
  if (speeds.explained() < enough)
    sentences.push_back(fmt::format("the rates give all visits only {:.1f} % of the time measured: launches were "
                                    "disturbed, or visits of a kernel differ by more than its volume says",
                                    100 * speeds.explained()));
  if (measured.walltime > 0 && measured.launches.size() < 5)
    sentences.push_back(fmt::format("{} launch{}: intervals of fewer than 5 say little", measured.launches.size(),
                                    measured.launches.size() == 1 ? "" : "es"));
  return sentences;
}

std::vector<std::string> kernel_texts(const trace::Source& volumes, symbols::Symboliser& symboliser) {
  const std::vector<analysis::KernelFigures> figures = analysis::kernel_figures(volumes);
  const symbols::KernelPlaces places(volumes.run(), figures, symboliser);
  std::vector<std::string> texts;
  for (trace::KernelId id = 0; id < figures.size(); ++id)
    texts.push_back(places.text(id));
  return texts;
}

bool adds_to_file(const ComputeOptions& options) {
  return options.add && std::filesystem::exists(options.output);
}

ComputeMeasurement measurement(const ComputeOptions& options) {
  ComputeMeasurement asked{.command = options.command,
                           .launches = options.launches.launches,
                           .limit = options.launches.limit(),
                           .keep = options.launches.keep,
                           .saved = std::filesystem::path(options.output).replace_extension(".launches"),
                           .from = options.launches.from};
  if (options.budget > 0)
    asked.budget = std::chrono::ceil<std::chrono::seconds>(std::chrono::duration<double>(options.budget));
  return asked;
}

int calibrate_compute(const ComputeOptions& options) {
  require_sense(options);
  const auto volumes = open_trace(options.trace, {});
  if (adds_to_file(options) && demand_addable(options.output, instance_name(options), volumes->run()))
    print_notice(fmt::format("{} has rates of '{}', which these replace; --name keeps both", options.output,
                             instance_name(options)));
  if (!options.command.empty() && !quietness_here().quiet())
    print_warning(
        "this machine is too noisy for rates to be trusted: `timeless doctor` says how noisy, and what to do");
  const MeasuredLaunches measured = measure(*volumes, measurement(options));
  const analysis::ComputeSpeeds speeds = analysis::compute_speeds(measured.launches);
  const analysis::WholeRate whole = analysis::whole_rate(measured.launches);
  const std::vector<std::string> sentences = shortcomings(speeds, measured);
  symbols::Symboliser symboliser(volumes->run(), {});
  const CalibratedInstance instance{.name = instance_name(options),
                                    .volumes = volumes->run(),
                                    .launched = measured.first,
                                    .speeds = speeds,
                                    .whole = whole,
                                    .places = symbols::place_labels(volumes->run(), symboliser),
                                    .walltime_launches = measured.walltime,
                                    .cputime_launches = measured.cputime,
                                    .not_reached = sentences};
  std::optional<std::filesystem::path> before;
  if (adds_to_file(options)) before = options.output;
  const nlohmann::ordered_json file = options.whole ? whole_rate_file(instance) : rates_file(instance, before);
  write_file(options.output, file.dump(1) + "\n", existing_file(options));
  print_answer("calibrate-compute", 1,
               ComputeAnswer{.trace = options.trace,
                             .file = options.output,
                             .unit = volumes->run().counter.unit == trace::VolumeUnit::instructions
                                         ? "instructions"
                                         : volumes->run().counter.name,
                             .speeds = speeds,
                             .whole = whole,
                             .kernels = kernel_texts(*volumes, symboliser),
                             .top = options.top,
                             .ranks_per_node = ranks_per_host(measured.first),
                             .walltime_launches = measured.walltime,
                             .cputime_launches = measured.cputime,
                             .not_reached = sentences,
                             .one_rate = options.whole},
               options.json);
  return 0;
}

} // namespace

VerbAction add_calibrate_compute(CLI::App& command) {
  auto options = std::make_shared<ComputeOptions>();
  command.add_option("trace", options->trace, "A recording of the program by icount or papi: what it computes")
      ->required();
  begin_group(command, "Output");
  command.add_option("-o,--output", options->output, "The file of rates to write")
      ->type_name("FILE")
      ->always_capture_default(false);
  begin_group(command, "Measuring");
  add_launch_options(command, options->launches);
  command
      .add_option("--budget", options->budget,
                  "Begin no launch after that: seconds, or as 90s, 2min; the first is always made")
      ->transform(time_with_unit())
      ->check(number_between(0.001, 1e9).description(""))
      ->default_str("");
  begin_group(command, "Output");
  command.add_option("--name", options->name, "What this input is called in the file; the trace's name unless given")
      ->always_capture_default(false);
  command.add_flag(
      "--add", options->add,
      "Add to the rates in the output: those of another input, so that replays choose by the size of visits");
  command.add_flag("--whole", options->whole, "Write one rate for everything, for comparison");
  command.add_option("--top", options->top, "How many kernels to list; 0: all")->check(count_from(0));
  command.add_flag("--force", options->force, "Replace an existing file");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.calibrate-compute/1)");
  add_words(command, "command", options->command, "The command that starts the program, as without timeless",
            "[options] [--] command...");
  command.footer("Example: timeless calibrate compute run.tia -o rates.json -- mpirun -np 2 ./program");
  return [options] { return calibrate_compute(*options); };
}

} // namespace timeless::tools
