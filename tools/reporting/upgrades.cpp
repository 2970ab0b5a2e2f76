#include "tools/reporting/upgrades.h"

#include "analysis/sufficiency.h"
#include "analysis/sweep/advising.h"
#include "tools/reporting/machines.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

using analysis::Change;
using analysis::ChangeKind;

using Makespans = std::vector<std::vector<double>>; ///< by machine, then by speed

/// Makespans at the rate that is taken, and at the ends of the range of rates.
std::vector<analysis::TimesAtSpeed> at_ends(const WeighedRun& run, std::size_t base, std::size_t machine) {
  std::vector<analysis::TimesAtSpeed> times{{1, run.lanes[base].makespan, run.lanes[machine].makespan}};
  const auto& without = run.intervals[base];
  const auto& with = run.intervals[machine];
  if (without && with) {
    times.push_back({run.rates.speeds.fastest, without->low, with->low});
    times.push_back({run.rates.speeds.slowest, without->high, with->high});
  }
  return times;
}

/// The same at more rates between.
Makespans at_speeds(const WeighedRun& run, const std::vector<double>& speeds) {
  PredictionOptions options = options_of(run.asked, run.trace);
  options.compute.clear();
  for (const double speed : speeds)
    options.compute.push_back(1 / speed);
  const Prediction varied = predict_again(run.source, options);
  Makespans all(run.lanes.size());
  for (std::size_t lane = 0; lane < varied.result.lanes.size(); ++lane)
    all[lane / speeds.size()].push_back(varied.result.lanes[lane].makespan);
  return all;
}

/// Another machine, as one of Report::machines.
struct OtherMachine {
  Change change;
  std::size_t machine = 0;
};

/// What each other machine saves, and where that is undecided, at which rate it turns.
std::vector<OtherMachine> machine_changes(const WeighedRun& run, const Report& report) {
  const double threshold = report.asked.threshold;
  std::vector<OtherMachine> changes;
  std::optional<Makespans> between;
  const std::vector<double> speeds = analysis::speeds_within(run.rates.speeds);
  for (std::size_t i = 0; i < report.machines.size(); ++i) {
    if (i == report.base || run.lanes[i].deadlock) continue;
    std::vector<analysis::TimesAtSpeed> times = at_ends(run, report.base, i);
    const bool same = std::ranges::all_of(times, [](const auto& at) { return at.without == at.with; });
    if (same && !run.bases[report.base].network_used()) continue;
    Change one = analysis::change(ChangeKind::machine, times, threshold);
    if (one.worth == analysis::Worth::undecided) {
      if (!between) between = at_speeds(run, speeds);
      times.clear();
      for (std::size_t k = 0; k < speeds.size(); ++k)
        times.push_back({speeds[k], (*between)[report.base][k], (*between)[i][k]});
      one = analysis::change(ChangeKind::machine, times, threshold);
    }
    one.recorded_part = !run.source.run().complete();
    one.name = report.machines[i].name + " in place of " + report.machines[report.base].name;
    changes.push_back({std::move(one), i});
  }
  return changes;
}

/// The error of the makespan, where the launches' spread does not explain it; 0 where nothing is known of one.
double contradiction(const Report& report) {
  if (!report.validates) return 0;
  for (const nlohmann::json& prediction : report.validation["predictions"]) {
    const nlohmann::json makespan = prediction.value("makespan", nlohmann::json::object());
    if (makespan.is_object() && makespan.value("distinguishable", false)) return makespan.value("error", 0.0);
  }
  return 0;
}

analysis::Grounds grounds_of(const WeighedRun& run, std::size_t base) {
  const replay::Sensitivity& path = run.lanes[base].sensitivity;
  const double makespan = run.lanes[base].makespan;
  const trace::Run& recorded = run.source.run();
  const auto& calibrated = run.asked.machine.calibrated;
  return {.complete = recorded.complete(),
          .computes = recorded.counter.unit != trace::VolumeUnit::none,
          .rate_assumed = run.rates.from == "assumed",
          .rate_given = run.rates.from == "given",
          .rate_changes_times = !run.rates.from.empty(),
          .rate_fits = !calibrated || calibrated->notes.empty(),
          .exact = recorded.counter.exactness != trace::Exactness::inexact,
          .communication = makespan > 0 ? (path.latency + path.bandwidth) / makespan : 0,
          .contention_known = run.contention_known,
          .left_out = run.left_out,
          .compared = run.compared,
          .contradiction = run.contradiction};
}

} // namespace

RunAnswers weigh(const WeighedRun& run, const Report& report) {
  RunAnswers weighed{.refusal = analysis::too_little_to_advise(run.source.run()), .answers = {}, .trust = {}};
  using analysis::Confidence;
  if (!weighed.refusal.empty()) {
    weighed.trust = {Confidence::low, {{analysis::Doubt::incomplete, Confidence::low, weighed.refusal}}};
    return weighed;
  }
  analysis::Grounds grounds = grounds_of(run, report.base);
  std::vector<analysis::Trust> to_be_had;
  const auto add = [&](const Change& change) {
    weighed.answers.push_back({change, analysis::trust(grounds, change, report.asked.threshold)});
    if (change.kind == ChangeKind::machine || change.kind == ChangeKind::processors)
      to_be_had.push_back(weighed.answers.back().trust);
  };
  const auto figures_of = [&](std::size_t machine) {
    return analysis::FiguresOf{report.machines[machine].name, report.machines[machine].trust};
  };
  for (const OtherMachine& other : machine_changes(run, report)) {
    grounds.figures = {figures_of(report.base), figures_of(other.machine)};
    add(other.change);
  }
  grounds.figures = {figures_of(report.base)};
  if (run.advice != nullptr) std::ranges::for_each(run.advice->changes, add);
  weighed.trust = analysis::least(to_be_had);
  return weighed;
}

void weigh_upgrades(Report& report, const trace::Source& source) {
  std::vector<std::optional<analysis::Interval>> intervals;
  for (const ReportedMachine& machine : report.machines)
    intervals.push_back(machine.interval);
  const auto& advice = report.machines[report.base].advice;
  const WeighedRun run{.source = source,
                       .asked = report.asked,
                       .trace = report.asked.traces.front(),
                       .lanes = report.prediction.result.lanes,
                       .bases = report.prediction.bases,
                       .intervals = intervals,
                       .rates = report.rates,
                       .advice = advice ? &*advice : nullptr,
                       .left_out = !report.prediction.result.not_modelled.empty(),
                       .contention_known = report.smpi.has_value(),
                       .compared = report.validates,
                       .contradiction = contradiction(report)};
  static_cast<RunAnswers&>(report.verdict) = weigh(run, report);
  report.verdict.threshold = report.asked.threshold;
}

} // namespace timeless::tools
