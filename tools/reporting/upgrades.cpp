#include "tools/reporting/upgrades.h"

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
std::vector<analysis::TimesAtSpeed> at_ends(const Report& report, std::size_t machine) {
  std::vector<analysis::TimesAtSpeed> times{{1, report.base_lane().makespan, report.lane(machine).makespan}};
  const auto& without = report.machines[report.base].interval;
  const auto& with = report.machines[machine].interval;
  if (without && with) {
    times.push_back({report.rates.speeds.fastest, without->low, with->low});
    times.push_back({report.rates.speeds.slowest, without->high, with->high});
  }
  return times;
}

/// The same at more rates between.
Makespans at_speeds(const Report& report, const trace::Source& source, const std::vector<double>& speeds) {
  PredictionOptions options = options_of(report.asked, report.asked.traces.front());
  options.compute.clear();
  for (const double speed : speeds)
    options.compute.push_back(1 / speed);
  const Prediction varied = predict_again(source, options);
  Makespans all(report.machines.size());
  for (std::size_t lane = 0; lane < varied.result.lanes.size(); ++lane)
    all[lane / speeds.size()].push_back(varied.result.lanes[lane].makespan);
  return all;
}

/// What each other machine saves, and where that is undecided, at which rate it turns.
std::vector<Change> machine_changes(const Report& report, const trace::Source& source, double threshold) {
  std::vector<Change> changes;
  std::optional<Makespans> between;
  const std::vector<double> speeds = analysis::speeds_within(report.rates.speeds);
  for (std::size_t i = 0; i < report.machines.size(); ++i) {
    if (i == report.base || report.lane(i).deadlock) continue;
    std::vector<analysis::TimesAtSpeed> times = at_ends(report, i);
    const bool same = std::ranges::all_of(times, [](const auto& at) { return at.without == at.with; });
    if (same && !report.prediction.bases[report.base].network_used()) continue;
    Change one = analysis::change(ChangeKind::machine, times, threshold);
    if (one.worth == analysis::Worth::undecided) {
      if (!between) between = at_speeds(report, source, speeds);
      times.clear();
      for (std::size_t k = 0; k < speeds.size(); ++k)
        times.push_back({speeds[k], (*between)[report.base][k], (*between)[i][k]});
      one = analysis::change(ChangeKind::machine, times, threshold);
    }
    one.recorded_part = !source.run().complete();
    one.name = report.machines[i].name + " in place of " + report.machines[report.base].name;
    changes.push_back(std::move(one));
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

analysis::Grounds grounds_of(const Report& report) {
  const replay::Sensitivity& path = report.base_lane().sensitivity;
  const double makespan = report.base_lane().makespan;
  const trace::Run& run = report.run();
  return {.complete = run.complete(),
          .computes = run.counter.unit != trace::VolumeUnit::none,
          .rate_assumed = report.rates.from == "assumed",
          .rate_given = report.rates.from == "given",
          .rate_changes_times = !report.rates.from.empty(),
          .rate_fits = !report.asked.machine.calibrated || report.asked.machine.calibrated->notes.empty(),
          .exact = run.counter.exactness != trace::Exactness::inexact,
          .communication = makespan > 0 ? (path.latency + path.bandwidth) / makespan : 0,
          .contention_known = report.smpi.has_value(),
          .left_out = !report.prediction.result.not_modelled.empty(),
          .compared = report.validates,
          .contradiction = contradiction(report)};
}

} // namespace

void weigh_upgrades(Report& report, const trace::Source& source) {
  ReportVerdict& verdict = report.verdict;
  verdict.threshold = report.asked.threshold;
  std::vector<Change> changes = machine_changes(report, source, verdict.threshold);
  if (const auto& advice = report.machines[report.base].advice)
    changes.insert(changes.end(), advice->changes.begin(), advice->changes.end());
  const analysis::Grounds grounds = grounds_of(report);
  std::vector<analysis::Trust> to_be_had;
  for (const Change& change : changes) {
    verdict.answers.push_back({change, analysis::trust(grounds, change, verdict.threshold)});
    if (change.kind == ChangeKind::machine || change.kind == ChangeKind::processors)
      to_be_had.push_back(verdict.answers.back().trust);
  }
  verdict.trust = analysis::least(to_be_had);
}

} // namespace timeless::tools
