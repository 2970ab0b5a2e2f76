#include "tools/reporting/upgrades.h"

#include "tools/cli/trace_input.h"

#include <algorithm>
#include <cmath>

namespace timeless::tools {

namespace {

using analysis::Change;
using analysis::ChangeKind;

std::vector<double> at_all_rates(const Report& report, std::size_t machine) {
  std::vector<double> all{report.lane(machine).makespan};
  if (const auto& interval = report.machines[machine].interval) all.insert(all.end(), {interval->low, interval->high});
  return all;
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

} // namespace

void weigh_upgrades(Report& report) {
  ReportVerdict& verdict = report.verdict;
  verdict.threshold = report.asked.threshold;
  const ReportedMachine& base = report.machines[report.base];
  for (std::size_t i = 0; i < report.machines.size(); ++i) {
    if (i == report.base || report.lane(i).deadlock) continue;
    const std::vector<double> without = at_all_rates(report, report.base);
    const std::vector<double> with = at_all_rates(report, i);
    const bool unused = !report.prediction.bases[report.base].network_used() && with == without;
    if (unused) continue;
    verdict.changes.push_back(analysis::change(ChangeKind::machine, without, with, verdict.threshold));
    verdict.changes.back().name = report.machines[i].name + " in place of " + base.name;
  }
  if (base.advice)
    verdict.changes.insert(verdict.changes.end(), base.advice->changes.begin(), base.advice->changes.end());
  const replay::Sensitivity& path = report.base_lane().sensitivity;
  const double makespan = report.base_lane().makespan;
  const trace::Run& run = report.run();
  verdict.trust =
      analysis::trust({.complete = incompleteness(run).empty(),
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
                       .contradiction = contradiction(report)},
                      verdict.changes);
}

} // namespace timeless::tools
