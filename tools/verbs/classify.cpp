#include "analysis/classification.h"
#include "analysis/sufficiency.h"
#include "analysis/trace/program_names.h"
#include "tools/cli/console.h"
#include "tools/cli/offered_words.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/option_groups.h"
#include "tools/cli/trace_input.h"
#include "tools/machines/preset_machine.h"
#include "tools/render/answer.h"
#include "tools/render/replay/classification.h"
#include "tools/replaying/calibrated.h"
#include "tools/replaying/not_modelled.h"
#include "tools/replaying/options/request.h"
#include "tools/replaying/sweep/advising.h"
#include "tools/replaying/sweep/class_ranges.h"
#include "tools/replaying/sweep/grounds.h"
#include "tools/verbs/verbs.h"

#include "base/error.h"
#include "base/files/temporary_file.h"
#include "replay/replay.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

struct ClassifyOptions {
  std::vector<std::string> traces;
  TraceFormat from;
  PresetMachineOptions machine{.networks = usual_networks};
  std::vector<std::string> platforms;
  analysis::Thresholds thresholds;
  double worth = analysis::usual_worth;
  double anchor_bandwidth = 1;
  double anchor_latency = 1;
  std::vector<std::string> fail_on;
  bool configurations = false;
  bool one_rate = false;
  bool json = false;
  bool csv = false;
  bool strict = false;
  std::string clock = "own";
  std::string file_system;
  std::uint32_t cores_per_rank = 0;
};

/// A trace with its answers, and the replay they rest on, which has to stay where it is.
struct ClassifiedTrace {
  ClassifiedTrace(const std::string& trace_path, const ClassifyOptions& options)
      : path(trace_path), rates(options.machine), source(rated(open_trace(path, options.from), rates)),
        machines(source->run(), machines_asked(options),
                 {.bandwidth = options.anchor_bandwidth, .latency = options.anchor_latency}) {
    if (const std::string made = extrapolation_words(source->run()); !made.empty()) machines.add_notes({made});
    machines.add_notes(rates_notes(rates, machines.bases()));
    machines.add_notes(message_notes(*source, machines.bases()));
  }

  PredictionOptions machines_asked(const ClassifyOptions& options) const {
    PredictionOptions asked;
    asked.machine = rates;
    asked.platforms = options.platforms;
    return asked;
  }

  /// The program's file, or the trace's where no program is known.
  analysis::NamedProgram program() const {
    const std::string name = file_name(source->run().provenance.program);
    return {name.empty() ? file_name(path) : name, source->run().size};
  }

  ClassifyAnswer answer(const ClassifyOptions& options, const std::string& called) const {
    const RateRange range = rate_range(rates, machines.bases().front().compute);
    return {path, called, source->run(), machines, result, classified, range, options.configurations};
  }

  std::string path;
  PresetMachineOptions rates;
  std::unique_ptr<trace::Source> source;
  PlacedMachines machines;
  replay::Result result;
  std::vector<ClassifiedMachine> classified;
};

/// What the answers about one of the machines rest on.
analysis::Grounds grounds_at(const ClassifiedTrace& trace, std::size_t machine) {
  const ClassifiedMachine& one = trace.classified[machine];
  analysis::Grounds found = grounds(trace.source->run(), trace.rates, rate_range(trace.rates, one.basis.compute),
                                    one.anchor().makespan, one.anchor().sensitivity);
  found.left_out = !trace.result.not_modelled.empty();
  found.figures = {trace.machines.figures_of(machine)};
  return found;
}

void judge(ClassifiedTrace& trace, const ClassifyOptions& options) {
  const trace::Run& run = trace.source->run();
  Progress progress("classifying " + trace.path, total_actions(run));
  replay::ReplayOptions replaying;
  if (!options.file_system.empty()) replaying.file_system = replay::parse_file_system(options.file_system);
  replaying.ideal = true;
  replaying.sensitivities = true;
  replaying.cores_per_rank = options.cores_per_rank;
  replaying.clock = chosen_clock(options.clock);
  require_clock(run, replaying.clock);
  replaying.progress = [&](std::uint64_t done, std::uint64_t) { progress.update(done); };
  std::vector<Judgement> own;
  for (std::size_t i = 0; i < trace.machines.size(); ++i)
    own.push_back({.machine = i});
  trace.result = replay_judged(trace.machines, *trace.source, own, replaying);
  trace.classified = classified(trace.machines, trace.result, options.thresholds);
  const std::string refusal = analysis::nothing_to_judge_by(run, trace.result.lanes);
  for (ClassifiedMachine& one : trace.classified) {
    one.recorded_part = !run.complete();
    one.refusal = refusal;
  }
  if (!refusal.empty()) return;
  replaying.sensitivities = false;
  const auto advice = advise(trace.machines, *trace.source, trace.rates, options.worth, replaying);
  for (std::size_t i = 0; i < trace.classified.size(); ++i) {
    ClassifiedMachine& one = trace.classified[i];
    one.advice = advice[i];
    if (one.advice) one.trust = analysis::trust(grounds_at(trace, i), *one.advice);
  }
  if (options.one_rate || run.counter.unit == trace::VolumeUnit::none) return;
  std::vector<std::string> classes;
  for (const ClassifiedMachine& answer : trace.classified)
    classes.push_back(name(answer.classification));
  std::vector<ClassRange> ranges = class_ranges(trace.machines, *trace.source, classes, options.thresholds, replaying);
  for (std::size_t i = 0; i < trace.classified.size(); ++i)
    if (trace.classified[i].has_class()) trace.classified[i].range = std::move(ranges[i]);
}

/// The traces of which there is an answer, and why there is none of the others.
struct ClassifiedTraces {
  std::deque<ClassifiedTrace> answered;
  std::vector<RefusedTrace> refused;
};

/// Classifies each trace by itself. Throws where there is but one, where none can be classified, and what is wrong with
/// the command.
ClassifiedTraces judge_all(const ClassifyOptions& options) {
  ClassifiedTraces traces;
  std::exception_ptr first;
  for (const std::string& path : options.traces) {
    const std::size_t before = traces.answered.size();
    try {
      judge(traces.answered.emplace_back(path, options), options);
    } catch (const Error& error) {
      if (error.failure() == Failure::usage) throw;
      if (!first) first = std::current_exception();
      if (traces.answered.size() > before) traces.answered.pop_back();
      traces.refused.push_back({path, error.what()});
    }
  }
  if (traces.answered.empty()) std::rethrow_exception(first);
  return traces;
}

void print(const ClassifiedTraces& classified, const ClassifyOptions& options) {
  const std::deque<ClassifiedTrace>& traces = classified.answered;
  if (options.traces.size() == 1 && !options.csv) {
    print_answer("classify", 1, traces.front().answer(options, traces.front().program().name), options.json);
    return;
  }
  ClassifyTracesAnswer all{.traces = {}, .refused = classified.refused};
  std::vector<analysis::NamedProgram> programs;
  for (const ClassifiedTrace& trace : traces)
    programs.push_back(trace.program());
  const std::vector<std::string> names = analysis::program_names(programs);
  for (std::size_t i = 0; i < traces.size(); ++i)
    all.traces.push_back(traces[i].answer(options, names[i]));
  if (options.csv)
    fmt::print("{}", to_csv(all));
  else
    print_answer("classify-traces", 1, all, options.json);
}

bool fails(const ClassifiedTrace& trace, const ClassifyOptions& options) {
  return std::ranges::any_of(trace.classified, [&](const ClassifiedMachine& answer) {
    return answer.has_class() &&
           std::ranges::find(options.fail_on, name(answer.classification)) != options.fail_on.end();
  });
}

int classify_traces(ClassifyOptions& options) {
  demand_different_traces("classify", options.traces, options.from);
  demand_different_runs(options.traces, options.from);
  take_machines(options.machine, options.platforms);
  const ClassifiedTraces classified = judge_all(options);
  const std::deque<ClassifiedTrace>& traces = classified.answered;
  print(classified, options);
  int status = exit_ok;
  for (const RefusedTrace& one : classified.refused) {
    print_warning(fmt::format("{} is not classified: {}", one.trace, one.because));
    status = static_cast<int>(Failure::partial);
  }
  for (const ClassifiedTrace& trace : traces)
    status = std::max(status, warn_of_recorded_part(trace.path, incompleteness(trace.source->run())));
  if (options.strict)
    for (const ClassifiedTrace& trace : traces)
      require_all_modelled(trace.result.not_modelled);
  if (std::ranges::any_of(traces, [&](const ClassifiedTrace& trace) { return fails(trace, options); }))
    return exit_condition_met;
  return status;
}

void add_threshold_options(CLI::App& command, analysis::Thresholds& thresholds) {
  begin_group(command, "Thresholds");
  const auto add_share = [&](const char* option, double& value, const char* description) {
    command.add_option(option, value, description)->transform(threshold_share());
  };
  add_share("--computation-share", thresholds.computation, "Least share of computation for 'computation'");
  add_share("--communication-share", thresholds.communication, "Least share of communication, or of wait, for a bound");
  add_share("--sensitive-share", thresholds.sensitive, "Least share for a '-sensitive' answer");
  add_share("--insensitive", thresholds.insensitive, "A relative change below this is none");
  command.add_option("--gain", thresholds.gain, "How many times communication must shrink over a fourfold improvement")
      ->check(number_between(1, 1e6));
  command.add_flag("--insensitive-of-own", thresholds.insensitive_of_own,
                   "Judge changes of wait and communication relative to themselves, not to the total");
  command.add_flag("--copies-communicate", thresholds.copies_communicate,
                   "Count copies of sent messages as communication, not as computation");
}

void add_classified_machines(CLI::App& command, ClassifyOptions& options) {
  begin_group(command, "Machine");
  std::string known;
  for (const replay::Preset& preset : replay::presets())
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", preset.name, preset.description);
  add_network_option(command, options.machine, "Networks: " + known + "; or files");
  add_platform_option(command, options.platforms);
  add_where_option(command, options.machine);
  add_placement_options(command, options.machine);
  command.add_option("--anchor-bandwidth", options.anchor_bandwidth, "Judge at this multiple of the bandwidth")
      ->check(machine_factor());
  command.add_option("--anchor-latency", options.anchor_latency, "Judge at this multiple of the latency")
      ->check(machine_factor());
}

void add_classify_model(CLI::App& command, ClassifyOptions& options) {
  begin_group(command, "Model");
  command
      .add_option("--file-system", options.file_system,
                  "What files cost: the latency of a call, the bandwidth of a process, and that of all members of a "
                  "collective call")
      ->type_name("LIST")
      ->default_str("latency=100us,bandwidth=1GB/s,aggregate=10GB/s, an assumption");
  command.add_option("--cores-per-rank", options.cores_per_rank, "Threads of a rank that compute at a time, at most")
      ->check(count_from(1))
      ->default_str("all");
  add_clock_option(command, options.clock);
}

void add_classify_answers(CLI::App& command, ClassifyOptions& options) {
  begin_group(command, "Answers");
  add_worth_options(command, options.worth, options.machine);
  command.add_flag("--one-rate", options.one_rate,
                   "Do not look for the rates of computation at which each class holds");
  command.add_flag("--configurations", options.configurations, "Also list the 21 configurations of each network");
  CLI::Option* const fail_on = command.add_option(
      "--fail-on", options.fail_on,
      fmt::format("Exit with 4 if a network's class is one of {}", fmt::join(analysis::class_names(), ", ")));
  offer_words(*fail_on, analysis::class_names());
  fail_on->type_name("CLASS")->default_str("")->delimiter(',')->allow_extra_args(false)->check(
      [](const std::string& asked) {
        const std::vector<std::string> names = analysis::class_names();
        if (std::ranges::find(names, asked) != names.end()) return std::string();
        return fmt::format("'{}' is no class: there are {}", asked, fmt::join(names, ", "));
      });
}

void add_classify_outputs(CLI::App& command, ClassifyOptions& options) {
  begin_group(command, "Output");
  command.add_flag("--strict", options.strict, "Fail when something in the trace is not modelled");
  command.add_flag("--json", options.json,
                   "Print JSON (schema timeless.classify/1; of several traces, timeless.classify-traces/1)");
  command
      .add_flag("--csv", options.csv,
                "Print comma-separated values, one machine of one trace a line, below a head that names them")
      ->excludes("--json");
}

} // namespace

VerbAction add_classify(CLI::App& command) {
  auto options = std::make_shared<ClassifyOptions>();
  add_traces_argument(command, options->traces, options->from);
  add_classified_machines(command, *options);
  add_classify_model(command, *options);
  add_threshold_options(command, options->thresholds);
  add_classify_answers(command, *options);
  add_classify_outputs(command, *options);
  command.footer("Each network is judged by 21 configurations around it, and again at other rates of computation.\n"
                 "Example: timeless classify run.tia --network e1g,qdr --compute-rate 2.5e9\n"
                 "         timeless classify lu-8.tia lu-64.tia cg-64.tia --where 25Gb/s,1.5us");
  return [options] { return classify_traces(*options); };
}

} // namespace timeless::tools
