#include "analysis/classification.h"
#include "tools/cli/console.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/trace_input.h"
#include "tools/machines/named_networks.h"
#include "tools/machines/preset_machine.h"
#include "tools/render/machines/compute_basis.h"
#include "tools/render/replay/efficiencies.h"
#include "tools/render/replay/not_modelled.h"
#include "tools/render/replay/times.h"
#include "tools/replaying/judged_machines.h"
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
  Thresholds thresholds;
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

/// A machine's answer, with the 21 configurations it rests on.
struct ClassifyAnswer {
  MachineBasis basis;
  std::optional<replay::NetworkDescription> network; ///< of a machine that is no platform
  Classification classification;
  std::span<const replay::LaneResult> lanes;
  std::optional<ClassRange> range; ///< where it was looked for
};

std::vector<ClassifyAnswer> answers(const ClassifyOptions& options, const JudgedMachines& machines,
                                    const replay::Result& result) {
  std::vector<ClassifyAnswer> all;
  const std::span<const replay::LaneResult> lanes(result.lanes);
  for (std::size_t i = 0; i < machines.bases().size(); ++i) {
    const auto part = lanes.subspan(i * classification_lane_count, classification_lane_count);
    std::optional<replay::NetworkDescription> network;
    if (!machines.networks().empty()) network = machines.networks()[i];
    all.push_back({machines.bases()[i], std::move(network), classify(part, options.thresholds), part, {}});
  }
  return all;
}

/// The answers, and the replay they rest on, which has to stay where it is.
std::vector<ClassifyAnswer> judged(const ClassifyOptions& options, const trace::Source& source,
                                   const JudgedMachines& machines, replay::Result& result) {
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
  result = machines.replay(source, own, replaying);
  std::vector<ClassifyAnswer> all = answers(options, machines, result);
  if (options.one_rate || source.run().counter.unit == trace::VolumeUnit::none) return all;
  std::vector<std::string> classes;
  for (const ClassifyAnswer& answer : all)
    classes.push_back(name(answer.classification));
  std::vector<ClassRange> ranges = class_ranges(machines, source, classes, options.thresholds, replaying);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].range = std::move(ranges[i]);
  return all;
}

std::string machine_text(const ClassifyAnswer& answer) {
  if (!answer.network) return answer.basis.name;
  const auto [latency, bandwidth] = figures(*answer.network);
  return fmt::format("{} ({:g} us, {:.4g} Gb/s)", answer.basis.name, latency * 1e6, 8 * bandwidth / 1e9);
}

std::string percent(double share) {
  return fmt::format("{:.1f}", 100 * share);
}

std::string times_faster(double factor) {
  return fmt::format("{:.2f}x", factor);
}

void print_table(const std::vector<ClassifyAnswer>& all) {
  Table table(
      {"network", "bound by", "time", "compute %", "wait %", "latency %", "bandwidth %", "8x bandwidth", "latency/8"});
  for (const ClassifyAnswer& answer : all) {
    const Evidence& evidence = answer.classification.evidence;
    table.add({machine_text(answer), name(answer.classification), human_seconds(evidence.total),
               percent(evidence.computation), percent(evidence.wait), percent(evidence.latency),
               percent(evidence.bandwidth), times_faster(evidence.bandwidth_speedup),
               times_faster(evidence.latency_speedup)});
  }
  fmt::print("{}\n", table.text());
  for (const ClassifyAnswer& answer : all)
    print_line("{}: {}", answer.basis.name, reason(answer.classification));
}

/// Units per second where all ranks of a machine have the same rate, else speeds relative to its own.
bool has_one_rate(const ComputeBasis& compute) {
  return compute.least > 0 && compute.least == compute.most;
}

std::string speed_text(const ComputeBasis& compute, double speed) {
  return has_one_rate(compute) ? human_count(compute.least * speed) + "/s"
                               : fmt::format("{:.3g} times the speed", speed);
}

/// "latency for any rate above 2.10 G/s (communication at 1.98 G/s), up to 64.0 G/s, the largest tried".
std::string range_text(const ClassifyAnswer& answer) {
  const ClassRange& range = *answer.range;
  const auto text = [&](double speed) { return speed_text(answer.basis.compute, speed); };
  const auto other = [&](const ClassRange::Point& point) { return point.name + " at " + text(point.speed); };
  const double lowest = range.tried[range.first].speed;
  const double highest = range.tried[range.last].speed;
  const std::string own = name(answer.classification);
  if (range.below() == nullptr && range.above() == nullptr)
    return fmt::format("{} for any rate that was tried, {} to {}", own, text(lowest), text(highest));
  if (range.above() == nullptr)
    return fmt::format("{} for any rate from {} ({}) up to {}, the largest tried", own, text(lowest),
                       other(*range.below()), text(highest));
  if (range.below() == nullptr)
    return fmt::format("{} for any rate from {}, the smallest tried, up to {} ({})", own, text(lowest), text(highest),
                       other(*range.above()));
  return fmt::format("{} for rates from {} to {} ({}; {})", own, text(lowest), text(highest), other(*range.below()),
                     other(*range.above()));
}

void print_ranges(const std::vector<ClassifyAnswer>& all) {
  if (std::ranges::none_of(all, [](const ClassifyAnswer& answer) { return answer.range.has_value(); })) return;
  fmt::print("\n");
  for (const ClassifyAnswer& answer : all)
    print_line("{}: {}", answer.basis.name, range_text(answer));
}

/// At the anchor, which stands in the middle of each set of seven.
const replay::LaneResult& anchor(const ClassifyAnswer& answer) {
  return answer.lanes[3];
}

void print_efficiencies(const std::vector<ClassifyAnswer>& all) {
  replay::Result anchors;
  for (const ClassifyAnswer& answer : all) {
    anchors.lanes.push_back(anchor(answer));
    anchors.lanes.back().name = answer.basis.name;
  }
  fmt::print("{}", efficiencies_text(anchors.lanes));
}

void print_configurations(const std::vector<ClassifyAnswer>& all) {
  for (const ClassifyAnswer& answer : all) {
    Table table({"configuration", "time", "compute %", "wait %", "latency %", "bandwidth %"});
    for (const replay::LaneResult& lane : answer.lanes) {
      const replay::Shares share = replay::shares(lane);
      table.add({lane.name, human_seconds(lane.makespan), fmt::format("{:.1f}", share.computation),
                 fmt::format("{:.1f}", share.wait), fmt::format("{:.1f}", share.latency),
                 fmt::format("{:.1f}", share.bandwidth)});
    }
    fmt::print("\n{}", table.text());
  }
}

void print_conditions(const trace::Run& run, const JudgedMachines& machines, const replay::Result& result) {
  fmt::print("\n");
  const ComputeBasis& compute = machines.bases().front().compute;
  print_line("mapping   {}", machines.mapping_sentence());
  print_line("compute   {}{}", compute.assumed ? "ASSUMED: " : "", compute.sentence);
  print_line("model     no contention: a bandwidth-bound program is likelier to suffer from it than this says");
  if (run.volume_error > 0) print_line("volumes   {}", rounding(run));
  for (const std::string& note : machines.notes())
    print_line("note      {}", note);
  for (const std::string& note : result.notes)
    print_line("note      {}", note);
  fmt::print("{}", to_text(result.not_modelled));
}

nlohmann::ordered_json evidence_json(const Evidence& evidence) {
  return {{"total_seconds", evidence.total},
          {"computation", evidence.computation},
          {"overhead", evidence.overhead},
          {"wait", evidence.wait},
          {"latency", evidence.latency},
          {"bandwidth", evidence.bandwidth},
          {"communication", evidence.communication},
          {"total_change", evidence.total_change},
          {"wait_change", evidence.wait_change},
          {"latency_change", evidence.latency_change},
          {"bandwidth_change", evidence.bandwidth_change},
          {"bandwidth_gain", evidence.bandwidth_gain},
          {"latency_gain", evidence.latency_gain},
          {"both_gain", evidence.both_gain},
          {"bandwidth_speedup", evidence.bandwidth_speedup},
          {"latency_speedup", evidence.latency_speedup}};
}

nlohmann::ordered_json point_json(const ComputeBasis& compute, const ClassRange::Point* point) {
  if (point == nullptr) return nullptr;
  return {{"speed", point->speed},
          {"per_second", has_one_rate(compute) ? nlohmann::ordered_json(compute.least * point->speed) : nullptr},
          {"class", point->name}};
}

nlohmann::ordered_json range_json(const ComputeBasis& compute, const ClassRange& range) {
  nlohmann::ordered_json json{{"lowest", point_json(compute, &range.tried[range.first])},
                              {"highest", point_json(compute, &range.tried[range.last])},
                              {"below", point_json(compute, range.below())},
                              {"above", point_json(compute, range.above())}};
  for (const ClassRange::Point& point : range.tried)
    json["tried"].push_back(point_json(compute, &point));
  return json;
}

nlohmann::ordered_json answer_json(const ClassifyAnswer& answer) {
  nlohmann::ordered_json json;
  json["network"] = answer.basis.name;
  if (answer.network) {
    const auto [latency, bandwidth] = figures(*answer.network);
    json["latency_seconds"] = latency;
    json["bits_per_second"] = 8 * bandwidth;
  }
  json["overheads"] = answer.basis.overheads;
  json["compute_rate"] = to_json(answer.basis.compute);
  json["class"] = name(answer.classification);
  json["reason"] = reason(answer.classification);
  if (answer.range) json["class_holds"] = range_json(answer.basis.compute, *answer.range);
  json["evidence"] = evidence_json(answer.classification.evidence);
  json["efficiency"] = efficiencies_json(anchor(answer));
  for (const replay::LaneResult& lane : answer.lanes) {
    const replay::RankTimes times = replay::mean(lane);
    json["configurations"].push_back({{"name", lane.name},
                                      {"makespan_seconds", lane.makespan},
                                      {"mean_seconds",
                                       {{"end", times.end},
                                        {"compute", times.compute},
                                        {"memory_copy", times.memory_copy},
                                        {"overhead", times.overhead},
                                        {"wait", times.wait},
                                        {"latency", times.latency},
                                        {"bandwidth", times.bandwidth},
                                        {"files", times.files}}}});
  }
  return json;
}

void print_json_answer(const ClassifyOptions& options, const trace::Run& run, const JudgedMachines& machines,
                       const replay::Result& result, const std::vector<ClassifyAnswer>& all) {
  nlohmann::ordered_json json;
  json["trace"] = options.trace;
  json["ranks"] = run.size;
  json["complete"] = run.complete();
  json["counter"] = {{"unit", name(run.counter.unit)}, {"exactness", name(run.counter.exactness)}};
  json["volume_error"] = volume_error(run);
  json["mapping"] = machines.mapping_sentence();
  json["compute"] = machines.bases().front().compute.sentence;
  json["compute_assumed"] = machines.bases().front().compute.assumed;
  json["actions"] = result.actions;
  std::vector<std::string> notes = machines.notes();
  notes.insert(notes.end(), result.notes.begin(), result.notes.end());
  json["notes"] = notes;
  json["not_modelled"] = to_json(result.not_modelled);
  for (const ClassifyAnswer& answer : all)
    json["networks"].push_back(answer_json(answer));
  print_json("classify", 1, json);
}

int classify_trace(const ClassifyOptions& options) {
  const auto source = open_trace(options.trace, options.from);
  const JudgedMachines machines(source->run(), options.machine, options.platforms, options.anchor_latency,
                                options.anchor_bandwidth);
  replay::Result result;
  const std::vector<ClassifyAnswer> all = judged(options, *source, machines, result);
  if (options.json) {
    print_json_answer(options, source->run(), machines, result, all);
  } else {
    print_table(all);
    print_ranges(all);
    print_efficiencies(all);
    if (options.configurations) print_configurations(all);
    print_conditions(source->run(), machines, result);
  }
  if (options.strict) require_all_modelled(result);
  const bool failed = std::ranges::any_of(all, [&](const ClassifyAnswer& answer) {
    return std::ranges::find(options.fail_on, name(answer.classification)) != options.fail_on.end();
  });
  if (failed) return exit_condition_met;
  const std::string lack = incompleteness(source->run());
  if (lack.empty()) return exit_ok;
  print_warning("the trace is incomplete: " + lack + "; the answer is for what it holds");
  return static_cast<int>(Failure::partial);
}

void add_threshold_options(CLI::App& command, Thresholds& thresholds) {
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
      .add_option("--fail-on", options->fail_on,
                  fmt::format("Exit with 4 if a network's class is one of {}", fmt::join(class_names(), ", ")))
      ->type_name("CLASS")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check([](const std::string& asked) {
        const std::vector<std::string> names = class_names();
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
