#include "tools/reporting/machines.h"

#include "analysis/efficiencies.h"
#include "analysis/sufficiency.h"
#include "tools/cli/trace_input.h"
#include "tools/machines/named_platforms.h"
#include "tools/machines/platform_head.h"
#include "tools/platforms/catalogue.h"
#include "tools/replaying/calibrated.h"
#include "tools/replaying/options/request.h"
#include "tools/replaying/served_platforms.h"
#include "tools/replaying/sweep/advising.h"
#include "tools/replaying/sweep/class_ranges.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace timeless::tools {

namespace {

using replay::LaneResult;

/// "10 Gb/s, 5 us"; empty where the name says it.
std::string in_short(const replay::NetworkDescription& network) {
  if (is_pair_of_figures(network.name)) return {};
  const double latency = figures(network).latency;
  return bandwidth_words(network) + ", " +
         (latency > 0 ? fmt::format("{:.3g} us", latency * 1e6) : latency_words(network));
}

/// "edison: Edison, Cray XC30, NERSC: ...", as the file begins, without the last period: more is said behind it.
std::string platform_words(const std::string& name, std::string head) {
  if (head.ends_with('.')) head.pop_back();
  return name + (head.empty() ? "" : ": " + head);
}

std::vector<ReportedMachine> described_machines(const ReportRequest& request) {
  std::vector<ReportedMachine> machines;
  if (!request.platforms.empty()) {
    for (const std::string& name : request.platforms) {
      const std::filesystem::path file = platform_file(name);
      const platforms::Head head = platforms::head_of(file);
      machines.push_back({.name = file.stem().string(),
                          .description = platform_words(file.stem().string(), head.description),
                          .in_short = {},
                          .trust = head.trust.empty() ? "not said" : head.trust,
                          .figures = {},
                          .interval = {},
                          .classification = {},
                          .advice = {}});
    }
    return machines;
  }
  for (const replay::NetworkDescription& network : named_networks(request.machine.networks))
    machines.push_back({.name = network.name,
                        .description = described(network),
                        .in_short = in_short(network),
                        .trust = trust_of(network),
                        .figures = figures(network),
                        .interval = {},
                        .classification = {},
                        .advice = {}});
  return machines;
}

void give_figures(std::vector<ReportedMachine>& machines, const ServedPlatforms& served) {
  for (std::size_t i = 0; i < machines.size(); ++i)
    if (const auto found = platforms::between_nodes(served[i])) {
      machines[i].figures = NetworkFigures{.latency = found->latency, .bandwidth = found->bandwidth};
      machines[i].in_short = fmt::format("{:.4g} Gb/s, {:.3g} us", 8 * found->bandwidth / 1e9, found->latency * 1e6);
    }
}

std::vector<SweepCurve> curves_of(std::span<const LaneResult> lanes) {
  std::vector<SweepCurve> curves;
  const std::vector<replay::Scaling> scalings = replay::classification_scalings();
  constexpr std::size_t set_size = analysis::classification_lane_count / 3;
  for (const SweepCurve::Of of : {SweepCurve::Of::bandwidth, SweepCurve::Of::latency, SweepCurve::Of::both}) {
    SweepCurve curve{.of = of, .points = {}};
    for (std::size_t i = 0; i < set_size; ++i) {
      const std::size_t place = static_cast<std::size_t>(of) * set_size + i;
      const replay::Scaling& scaling = scalings[place];
      if (!lanes[place].deadlock)
        curve.points.push_back({scaling.bandwidth, scaling.latency, lanes[place].makespan, replay::mean(lanes[place])});
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

} // namespace

PredictionOptions options_of(const ReportRequest& request, const std::string& trace) {
  PredictionOptions options;
  options.trace = trace;
  options.from = request.from;
  options.machine = request.machine;
  options.platforms = request.platforms;
  return options;
}

PredictionOptions base_options(const Report& report) {
  PredictionOptions options = options_of(report.asked, report.asked.traces.front());
  if (options.platforms.empty())
    options.machine.networks = {options.machine.networks[report.base]};
  else
    options.platforms = {options.platforms[report.base]};
  // A platform alone has its hosts' speeds, several have one rate: that of the answers beside which these stand.
  const ComputeBasis& compute = report.prediction.bases[report.base].compute;
  const bool given = options.machine.speeds_from_file() || options.machine.compute_rate > 0;
  if (report.asked.platforms.size() > 1 && !given && compute.one_rate()) options.machine.compute_rate = compute.least;
  return options;
}

void predict_machines(Report& report, const trace::Source& source, bool calibrated) {
  report.machines = described_machines(report.asked);
  PredictionOptions options = options_of(report.asked, report.asked.traces.front());
  options.attribute = replay::AttributeBy::kernels;
  options.critical_path = true;
  try {
    report.prediction = predict_as_far_as_known(source, options, predict_without_simgrid);
  } catch (const replay::ReplayProblem& problem) { // on every machine
    const PlacedMachines placed(source.run(), options);
    std::vector<MachineConfiguration> all(placed.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i].machine = i;
    Progress progress("searching " + options.trace, total_actions(source.run()));
    throw with_limits(problem, all, placed, source, shown_on(progress));
  }
  if (calibrated) add_intervals(report.prediction, source, options);
  add_notes(report.prediction, rates_notes(options.machine, report.prediction.bases));
  add_notes(report.prediction, message_notes(source, report.prediction.bases));
  const std::vector<LaneResult>& lanes = report.prediction.result.lanes;
  const auto ends = std::ranges::find_if(lanes, [](const LaneResult& lane) { return !lane.deadlock; });
  report.base = static_cast<std::size_t>(ends - lanes.begin());
  if (report.base > 0)
    report.notes.push_back(fmt::format("{} ends in a deadlock: the report is about {}, the first machine on which the "
                                       "program comes to its end",
                                       report.machines.front().name, report.machines.at(report.base).name));
  report.rates = rate_range(report.asked.machine, report.prediction.bases[report.base].compute);
  const auto intervals = intervals_of(options_of(report.asked, report.asked.traces.front()), source, report.rates);
  for (std::size_t i = 0; i < report.machines.size(); ++i)
    report.machines[i].interval = intervals[i];
}

std::vector<std::optional<analysis::Interval>> intervals_of(const PredictionOptions& asked, const trace::Source& source,
                                                            const RateRange& rates) {
  const std::size_t machines = asked.platforms.empty() ? asked.machine.networks.size() : asked.platforms.size();
  std::vector<std::optional<analysis::Interval>> intervals(machines);
  if (rates.from.empty()) return intervals;
  PredictionOptions options = asked;
  options.compute = {rates.fastest(), rates.slowest()};
  const Prediction varied = predict_without_simgrid(source, options);
  for (std::size_t i = 0; i < machines; ++i) {
    const LaneResult& fast = varied.result.lanes.at(2 * i);
    const LaneResult& slow = varied.result.lanes.at(2 * i + 1);
    if (!fast.deadlock && !slow.deadlock) intervals[i] = analysis::Interval{fast.makespan, slow.makespan};
  }
  return intervals;
}

replay::ReplayOptions shown_on(Progress& progress) {
  replay::ReplayOptions options;
  options.progress = [&progress](std::uint64_t done, std::uint64_t) { progress.update(done); };
  return options;
}

MachineClass judge(const trace::Source& source, const PlacedMachines& machines, std::size_t machine,
                   const replay::ReplayOptions& options) {
  const Judgement judgement{.machine = machine};
  MachineClass judged{.classification = {},
                      .lanes = replay_judged(machines, source, std::span(&judgement, 1), options).lanes};
  if (std::ranges::none_of(judged.lanes, [](const LaneResult& lane) { return lane.deadlock != nullptr; }))
    judged.classification = analysis::classify(judged.lanes);
  return judged;
}

void classify_machines(Report& report, const trace::Source& source) {
  const PredictionOptions options = options_of(report.asked, report.asked.traces.front());
  const PlacedMachines machines(source.run(), options);
  if (machines.platforms()) give_figures(report.machines, *machines.platforms());
  if (!analysis::nothing_to_judge_by(source.run(), report.prediction.result.lanes).empty()) return;
  Progress progress("classifying " + report.asked.traces.front(), total_actions(source.run()));
  const replay::ReplayOptions replaying = shown_on(progress);
  const auto advice = advise(machines, source, report.asked.machine, report.asked.threshold, replaying);
  for (std::size_t i = 0; i < report.machines.size(); ++i) {
    if (report.lane(i).deadlock) continue;
    report.machines[i].advice = advice[i];
    const MachineClass judged = judge(source, machines, i, replaying);
    report.machines[i].classification = judged.classification;
    if (i == report.base) report.curves = curves_of(judged.lanes);
  }
}

} // namespace timeless::tools
