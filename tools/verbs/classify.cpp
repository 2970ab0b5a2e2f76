#include "analysis/classification.h"
#include "tools/cli/console.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/trace_input.h"
#include "tools/machines/preset_machine.h"
#include "tools/render/answer.h"
#include "tools/render/replay/classification.h"
#include "tools/replaying/calibrated.h"
#include "tools/replaying/class_ranges.h"
#include "tools/replaying/not_modelled.h"
#include "tools/replaying/request.h"
#include "tools/verbs/verbs.h"

#include "replay/replay.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

struct ClassifyOptions {
  std::string trace;
  TraceFormat from;
  PresetMachineOptions machine{.networks = {"e1g", "e10g", "qdr"}};
  std::vector<std::string> platforms;
  analysis::Thresholds thresholds;
  double anchor_bandwidth = 1;
  double anchor_latency = 1;
  std::vector<std::string> fail_on;
  bool configurations = false;
  bool one_rate = false;
  bool json = false;
  bool strict = false;
  std::string clock = "own";
  std::string file_system;
  std::uint32_t cores_per_rank = 0;
};

std::vector<ClassifiedMachine> answers(const ClassifyOptions& options, const PlacedMachines& machines,
                                       const replay::Result& result) {
  std::vector<ClassifiedMachine> all;
  const std::span<const replay::LaneResult> lanes(result.lanes);
  for (std::size_t i = 0; i < machines.bases().size(); ++i) {
    const auto part = lanes.subspan(i * analysis::classification_lane_count, analysis::classification_lane_count);
    std::optional<replay::NetworkDescription> network;
    if (i < machines.networks().size()) network = machines.networks()[i];
    all.push_back({machines.bases()[i], std::move(network), analysis::classify(part, options.thresholds), part, {}});
  }
  return all;
}

/// The answers, and the replay they rest on, which has to stay where it is.
std::vector<ClassifiedMachine> judged(const ClassifyOptions& options, const trace::Source& source,
                                      const PlacedMachines& machines, replay::Result& result) {
  Progress progress("replaying " + options.trace, total_actions(source.run()));
  replay::ReplayOptions replaying;
  if (!options.file_system.empty()) replaying.file_system = replay::parse_file_system(options.file_system);
  replaying.ideal = true;
  replaying.cores_per_rank = options.cores_per_rank;
  replaying.clock = chosen_clock(options.clock);
  require_clock(source.run(), replaying.clock);
  replaying.progress = [&](std::uint64_t done, std::uint64_t) { progress.update(done); };
  std::vector<Judgement> own;
  for (std::size_t i = 0; i < machines.bases().size(); ++i)
    own.push_back({.machine = i});
  result = replay_judged(machines, source, own, replaying);
  std::vector<ClassifiedMachine> all = answers(options, machines, result);
  if (options.one_rate || source.run().counter.unit == trace::VolumeUnit::none) return all;
  std::vector<std::string> classes;
  for (const ClassifiedMachine& answer : all)
    classes.push_back(name(answer.classification));
  std::vector<ClassRange> ranges = class_ranges(machines, source, classes, options.thresholds, replaying);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].range = std::move(ranges[i]);
  return all;
}

int classify_trace(ClassifyOptions& options) {
  const auto source = rated(open_trace(options.trace, options.from), options.machine);
  PredictionOptions asked;
  asked.machine = options.machine;
  asked.platforms = options.platforms;
  if (!options.platforms.empty()) asked.machine.networks.clear(); // the default's
  PlacedMachines machines(source->run(), asked,
                          {.bandwidth = options.anchor_bandwidth, .latency = options.anchor_latency});
  machines.add_notes(rates_notes(options.machine, machines.bases()));
  machines.add_notes(extrapolation_notes(*source, machines.bases()));
  replay::Result result;
  const std::vector<ClassifiedMachine> all = judged(options, *source, machines, result);
  print_answer("classify", 1,
               ClassifyAnswer{options.trace, source->run(), machines, result, all, options.configurations},
               options.json);
  if (options.strict) require_all_modelled(result.not_modelled);
  const bool failed = std::ranges::any_of(all, [&](const ClassifiedMachine& answer) {
    return std::ranges::find(options.fail_on, name(answer.classification)) != options.fail_on.end();
  });
  if (failed) return exit_condition_met;
  const std::string lack = incompleteness(source->run());
  if (lack.empty()) return exit_ok;
  print_warning("the trace is incomplete: " + lack + "; the answer is for what it holds");
  return static_cast<int>(Failure::partial);
}

void add_threshold_options(CLI::App& command, analysis::Thresholds& thresholds) {
  const auto add_share = [&](const char* option, double& value, const char* description) {
    command.add_option(option, value, description)->transform(share())->group("Thresholds");
  };
  add_share("--computation-share", thresholds.computation, "Least share of computation for 'computation'");
  add_share("--communication-share", thresholds.communication, "Least share of communication, or of wait, for a bound");
  add_share("--sensitive-share", thresholds.sensitive, "Least share for a '-sensitive' answer");
  add_share("--insensitive", thresholds.insensitive, "A relative change below this is none");
  command.add_option("--gain", thresholds.gain, "How many times communication must shrink over a fourfold improvement")
      ->check(number_between(1, 1e6))
      ->group("Thresholds");
  command
      .add_flag("--insensitive-of-own", thresholds.insensitive_of_own,
                "Judge changes of wait and communication relative to themselves, not to the total")
      ->group("Thresholds");
  command
      .add_flag("--copies-communicate", thresholds.copies_communicate,
                "Count copies of sent messages as communication, not as computation")
      ->group("Thresholds");
}

} // namespace

VerbAction add_classify(CLI::App& command) {
  auto options = std::make_shared<ClassifyOptions>();
  add_trace_argument(command, options->trace, options->from);
  std::string known;
  for (const replay::Preset& preset : replay::presets())
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", preset.name, preset.description);
  CLI::Option* networks =
      command.add_option("--network", options->machine.networks, "Networks: " + known + "; or files")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->default_str("e1g,e10g,qdr");
  add_platform_option(command, options->platforms);
  command.get_option("--platform")->excludes(networks);
  add_placement_options(command, options->machine);
  command.add_option("--anchor-bandwidth", options->anchor_bandwidth, "Judge at this multiple of the bandwidth")
      ->check(positive_number());
  command.add_option("--anchor-latency", options->anchor_latency, "Judge at this multiple of the latency")
      ->check(positive_number());
  add_threshold_options(command, options->thresholds);
  command.add_flag("--one-rate", options->one_rate,
                   "Do not look for the rates of computation at which each class holds");
  command.add_flag("--configurations", options->configurations, "Also list the 21 configurations of each network");
  command
      .add_option(
          "--fail-on", options->fail_on,
          fmt::format("Exit with 4 if a network's class is one of {}", fmt::join(analysis::class_names(), ", ")))
      ->type_name("CLASS")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check([](const std::string& asked) {
        const std::vector<std::string> names = analysis::class_names();
        if (std::ranges::find(names, asked) != names.end()) return std::string();
        return fmt::format("'{}' is no class: there are {}", asked, fmt::join(names, ", "));
      });
  command
      .add_option("--file-system", options->file_system,
                  "What files cost: the latency of a call, the bandwidth of a process, and that of all members of a "
                  "collective call")
      ->type_name("LIST")
      ->default_str("latency=100us,bandwidth=1GB/s,aggregate=10GB/s, an assumption");
  command.add_option("--cores-per-rank", options->cores_per_rank, "Threads of a rank that compute at a time, at most")
      ->check(positive_number())
      ->default_str("all");
  add_clock_option(command, options->clock);
  command.add_flag("--strict", options->strict, "Fail when something in the trace is not modelled");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.classify/1)");
  command.footer("Each network is judged by 21 configurations around it, and again at other rates of computation.\n"
                 "Example: timeless classify run.tia --network e1g,qdr --compute-rate 2.5e9");
  return [options] { return classify_trace(*options); };
}

} // namespace timeless::tools
