#include "tools/render/replay/sweep/sweep.h"
#include "tools/cli/console.h"
#include "tools/cli/offered_words.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/option_groups.h"
#include "tools/cli/text_style.h"
#include "tools/cli/trace_input.h"
#include "tools/render/answer.h"
#include "tools/replaying/calibrated.h"
#include "tools/replaying/factors.h"
#include "tools/replaying/model_words.h"
#include "tools/replaying/not_modelled.h"
#include "tools/replaying/options/request.h"
#include "tools/replaying/questions.h"
#include "tools/replaying/sweep/sweeping.h"
#include "tools/verbs/verbs.h"

#include "base/error.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

struct SweepOptions {
  ReplayRequest replay; ///< machines and model
  SweepRequest sweep;
  std::string bandwidth;
  std::string latency;
  std::string cpu;
  std::vector<std::string> eager_limits;
  std::vector<std::uint32_t> ranks_per_node;
  std::vector<std::string> collectives;
  std::string break_even;
  std::string gain;
  std::size_t top = 20;
  bool csv = false;
};

/// Asks for the plane that shows most of a network, where nothing is asked.
void ask_by_default(SweepOptions& options) {
  constexpr const char* plane = "/8..x8";
  const bool lists = !options.bandwidth.empty() || !options.latency.empty() || !options.cpu.empty() ||
                     !options.eager_limits.empty() || !options.ranks_per_node.empty() || !options.collectives.empty();
  const bool questions = !options.sweep.what_if.empty() || !options.sweep.upgrades.empty() ||
                         !options.break_even.empty() || !options.gain.empty();
  options.sweep.grid = lists || !questions;
  if (lists || questions) return;
  options.bandwidth = options.latency = plane;
  options.sweep.classes = true;
}

/// Throws Error(usage) where the lists make more configurations than a sweep takes, with the machines as they are.
void require_few_configurations(const SweepRequest& asked) {
  analysis::SweepAxes axes = asked.axes;
  axes.machines.resize(asked.prediction.machine.networks.size() + asked.prediction.platforms.size());
  std::iota(axes.machines.begin(), axes.machines.end(), std::size_t{0});
  analysis::SweepPlan plan;
  if (asked.grid) plan.add(axes);
  axes.ranks_per_node.resize(1);
  axes.collectives.resize(1);
  axes.eager_limits.resize(1);
  axes.bandwidth = axes.latency = axes.compute = {1};
  plan.add(axes);
}

void read_sweep(SweepOptions& options) {
  read_words(options.replay);
  ask_by_default(options);
  SweepRequest& asked = options.sweep;
  analysis::SweepAxes& axes = asked.axes;
  asked.prediction = options.replay.prediction;
  PresetMachineOptions& machine = asked.prediction.machine;
  if (machine.networks.empty() && asked.prediction.platforms.empty()) machine.networks = usual_networks;
  if (!options.bandwidth.empty()) axes.bandwidth = parse_factors(options.bandwidth, "--bandwidth");
  if (!options.latency.empty()) axes.latency = parse_factors(options.latency, "--latency");
  if (!options.cpu.empty()) axes.compute = parse_speeds(options.cpu, "--cpu");
  if (!options.ranks_per_node.empty()) axes.ranks_per_node = options.ranks_per_node;
  if (!options.eager_limits.empty()) axes.eager_limits.clear();
  for (const std::string& limit : options.eager_limits)
    axes.eager_limits.push_back(parse_eager_limit(limit));
  if (!options.collectives.empty()) axes.collectives.clear();
  for (const std::string& word : options.collectives)
    axes.collectives.push_back(collective_model(word).value());
  if (!options.break_even.empty()) asked.break_even = parse_growths(options.break_even, "--break-even");
  if (!options.gain.empty()) asked.gain = parse_growths(options.gain, "--gain");
  for (const double gain : asked.gain)
    if (!(gain < 1)) throw Error(Failure::usage, "a gain of 100 % or more", "--gain", "write 1%, 5% or 10%");
  require_few_configurations(asked);
}

void warn_of_deadlocks(const SweepPrediction& prediction) {
  const auto& all = prediction.sweep.configurations;
  const auto dead = std::ranges::count_if(all, [](const auto& one) { return one.deadlock != nullptr; });
  if (dead > 0) print_warning(fmt::format("{} of {} configurations end in a deadlock", dead, all.size()));
}

int sweep_trace(SweepOptions& options) {
  read_sweep(options);
  SweepRequest& asked = options.sweep;
  const auto source = rated(open_trace(asked.prediction.trace, asked.prediction.from), asked.prediction.machine);
  require_clock(source->run(), asked.prediction.clock);
  const SweepPrediction prediction = sweep(*source, asked);
  warn_of_deadlocks(prediction);
  const SweepAnswer answer{asked, source->run(), prediction, options.top, output_style()};
  if (options.csv)
    fmt::print("{}", to_csv(answer));
  else
    print_answer("sweep", 1, answer, options.replay.json);
  if (options.replay.strict) require_all_modelled(prediction.sweep.not_modelled);
  return warn_of_recorded_part(asked.prediction.trace, incompleteness(source->run()));
}

void add_grid_options(CLI::App& command, SweepOptions& options) {
  begin_group(command, "Grid, of which every combination is a configuration");
  command
      .add_option("--bandwidth", options.bandwidth,
                  "Bandwidths times x2, /2, a list of such, or /8..x8 in steps of two")
      ->type_name("LIST")
      ->check(some_text());
  command.add_option("--latency", options.latency, "Latencies likewise: /2 is half the latency")
      ->type_name("LIST")
      ->check(some_text());
  command.add_option("--cpu", options.cpu, "Speeds of the processors likewise: x2 is twice as fast")
      ->type_name("LIST")
      ->check(some_text());
  command
      .add_option("--ranks-per-node", options.ranks_per_node, "Consecutive ranks on each node; instead of a mapping")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(count_from(1))
      ->default_str("");
  CLI::Option* const limits =
      command
          .add_option("--eager-limit", options.eager_limits,
                      "Larger messages wait for their receive: bytes, as 65536 or 64KiB, or none; a "
                      "list")
          ->type_name("LIST")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->default_str("the machine's own");
  offer_words(*limits, {no_eager_limit_word});
  command
      .add_option(
          "--collectives", options.collectives,
          "What collectives cost: MPICH's algorithms or log2(p) steps, or messages of MPICH's algorithms or of those "
          "measured on the network; a list")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(collective_model_names()))
      ->default_str("mpich");
}

void add_questions(CLI::App& command, SweepOptions& options) {
  begin_group(command, "Questions");
  add_worth_options(command, options.sweep.worth, options.replay.prediction.machine);
  command
      .add_option(
          "--what-if", options.sweep.what_if,
          "What each machine would gain, as \"network x2, cpu x1.5\", \"latency /2\", \"network=qdr\", "
          "\"network=10Gb/s,5us\", \"eager-limit=64KiB\", \"collectives=simple\" or \"ranks-per-node=4\"; may be "
          "repeated")
      ->type_name("CHANGES")
      ->allow_extra_args(false)
      ->default_str("");
  add_upgrades_option(command, options.sweep.upgrades);
  command
      .add_option("--break-even", options.break_even,
                  "How much latency, time per byte or computation may grow until the time has grown by so much, as 2%; "
                  "a list")
      ->type_name("LIST")
      ->check(some_text());
  command
      .add_option("--gain", options.gain,
                  "The smallest improvement of latency, bandwidth or processors that saves so much of the time, as "
                  "10%; a list")
      ->type_name("LIST")
      ->check(some_text());
  command.add_flag("--classes", options.sweep.classes, "Classify every configuration of the grid, from 21 around it");
}

} // namespace

VerbAction add_sweep(CLI::App& command) {
  auto options = std::make_shared<SweepOptions>();
  add_trace_argument(command, options->replay.prediction.trace, options->replay.prediction.from);
  add_machine_options(command, options->replay);
  add_grid_options(command, *options);
  add_questions(command, *options);
  add_model_options(command, options->replay);
  add_running_options(command, options->replay);
  begin_group(command, "Output");
  command.add_option("--top", options->top, "How many configurations the table lists, the fastest first; 0 for all")
      ->check(count_from(0));
  command.add_flag("--per-rank", options->sweep.per_rank, "With --json, also every rank");
  command.add_flag("--strict", options->replay.strict, "Fail when something in the trace is not modelled");
  auto* const json = command.add_flag("--json", options->replay.json, "Print JSON (schema timeless.sweep/1)");
  command
      .add_flag("--csv", options->csv,
                "Print comma-separated values: a line for each configuration, then for each answer")
      ->excludes(json);
  command.footer(
      "Speed-ups are against the first machine as it is. Without lists or questions: both /8..x8.\n"
      "Example: timeless sweep run.tia --network e10g,e100g --bandwidth /8..x8 --cpu x1,x2\n"
      "         timeless sweep run.tia --network e10g --what-if \"network=e100g\" --what-if \"cpu x1.5\" --gain 10%");
  return [options] { return sweep_trace(*options); };
}

} // namespace timeless::tools
