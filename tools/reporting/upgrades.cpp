#include "tools/reporting/upgrades.h"

#include "analysis/efficiencies.h"
#include "tools/cli/trace_input.h"
#include "tools/reporting/machines.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace timeless::tools {

namespace {

using analysis::Change;
using analysis::ChangeKind;
using replay::LaneResult;

constexpr double better_network = 8;
constexpr double faster_processors = 2;

/// Makespans of the base machine with changed costs, at each rate that is to be expected: the rate taken first.
class Varied {
public:
  Varied(const Report& report, const trace::Source& source) {
    std::vector<double> rates{1};
    if (!report.rate_range.empty()) rates.insert(rates.end(), {report.fastest, report.slowest});
    rates_ = rates.size();
    PredictionOptions options = base_options(report);
    options.compute = rates;
    for (const double rate : rates)
      options.compute.push_back(rate / faster_processors);
    options.bandwidth = {1, better_network};
    options.latency = {1, 1 / better_network};
    for (const LaneResult& lane : predict_again(source, options).result.lanes)
      lanes_.push_back(condensed(lane));
  }

  std::vector<double> makespans(bool processors, bool bandwidth, bool latency) const {
    std::vector<double> all;
    for (std::size_t rate = 0; rate < rates_; ++rate)
      all.push_back(of(rate, processors, bandwidth, latency).makespan);
    return all;
  }
  std::vector<double> without_communication() const {
    std::vector<double> all;
    for (std::size_t rate = 0; rate < rates_; ++rate)
      all.push_back(of(rate, false, false, false).ideal_makespan.value_or(std::numeric_limits<double>::infinity()));
    return all;
  }

private:
  const LaneResult& of(std::size_t rate, bool processors, bool bandwidth, bool latency) const {
    const std::size_t compute = processors ? rates_ + rate : rate;
    return lanes_.at(((compute * 2) + (bandwidth ? 1 : 0)) * 2 + (latency ? 1 : 0));
  }

  std::size_t rates_ = 1;
  std::vector<LaneResult> lanes_;
};

std::vector<double> at_all_rates(const Report& report, std::size_t machine) {
  std::vector<double> all{report.lane(machine).makespan};
  if (const auto& interval = report.machines[machine].interval) all.insert(all.end(), {interval->low, interval->high});
  return all;
}

Change change(ChangeKind kind, std::string name, double factor, const std::vector<double>& without,
              const std::vector<double>& with, double threshold) {
  Change found{.kind = kind,
               .name = std::move(name),
               .factor = factor,
               .seconds = with.front(),
               .saving = analysis::saving(without, with)};
  found.worth = analysis::worth(found.saving, threshold);
  return found;
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

void weigh_upgrades(Report& report, const trace::Source& source) {
  const Varied varied(report, source);
  ReportVerdict& verdict = report.verdict;
  verdict.threshold = report.asked.threshold;
  const auto add = [&](ChangeKind kind, const std::string& name, double factor, const std::vector<double>& without,
                       const std::vector<double>& with) {
    verdict.changes.push_back(change(kind, name, factor, without, with, verdict.threshold));
  };
  for (std::size_t i = 0; i < report.machines.size(); ++i)
    if (i != report.base && !report.lane(i).deadlock)
      add(ChangeKind::machine, report.machines[i].name, 1, at_all_rates(report, report.base), at_all_rates(report, i));
  const std::vector<double> base = varied.makespans(false, false, false);
  add(ChangeKind::bandwidth, {}, better_network, base, varied.makespans(false, true, false));
  add(ChangeKind::latency, {}, better_network, base, varied.makespans(false, false, true));
  add(ChangeKind::network, {}, better_network, base, varied.makespans(false, true, true));
  add(ChangeKind::free_network, {}, 1, base, varied.without_communication());
  add(ChangeKind::processors, {}, faster_processors, base, varied.makespans(true, false, false));
  if (const auto balance = analysis::efficiencies(report.base_lane()).load_balance) {
    std::vector<double> balanced;
    for (const double seconds : base)
      balanced.push_back(seconds * *balance);
    add(ChangeKind::balance, {}, 1, base, balanced);
  }
  const replay::Sensitivity& path = report.base_lane().sensitivity;
  const double makespan = report.base_lane().makespan;
  const trace::Run& run = report.run();
  verdict.trust =
      analysis::trust({.complete = incompleteness(run).empty(),
                       .computes = run.counter.unit != trace::VolumeUnit::none,
                       .rate_assumed = report.prediction.bases[report.base].compute.assumed,
                       .rate_changes_times = !report.rate_range.empty(),
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
