#include "tools/reporting/upgrades.h"

#include "analysis/sufficiency.h"
#include "analysis/sweep/advising.h"
#include "tools/cli/trace_input.h"
#include "tools/replaying/reservations.h"
#include "tools/replaying/sweep/advising.h"
#include "tools/replaying/sweep/grounds.h"
#include "tools/reporting/machines.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

using analysis::Change;
using analysis::ChangeKind;

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

/// Another machine, as one of Report::machines.
struct OtherMachine {
  Change change;
  std::size_t machine = 0;
};

/// What each other machine saves, and where that is undecided, at which rate it turns.
std::vector<OtherMachine> machine_changes(const WeighedRun& run, const Report& report) {
  std::vector<analysis::ChangedPoint> where;
  for (std::size_t i = 0; i < report.machines.size(); ++i) {
    if (i == report.base || run.lanes[i].deadlock) continue;
    std::vector<analysis::TimesAtSpeed> times = at_ends(run, report.base, i);
    const bool same = std::ranges::all_of(times, [](const auto& at) { return at.without == at.with; });
    if (same && !run.bases[report.base].network_used()) continue;
    where.push_back({{.machine = report.base}, {.machine = i}, run.rates.speeds, std::move(times)});
  }
  std::optional<PlacedMachines> placed; // where more is to be replayed
  Progress progress("comparing machines for " + run.trace, total_actions(run.source.run()));
  const auto replay = [&](std::span<const analysis::SweepPoint> points) {
    if (!placed) placed.emplace(run.source.run(), options_of(run.asked, run.trace));
    return replayed_points(*placed, run.source, shown_on(progress))(points);
  };
  std::vector<OtherMachine> changes;
  for (Change& one : analysis::weigh(where, report.asked.threshold, replay)) {
    const std::size_t machine = where[changes.size()].after.machine;
    one.recorded_part = !run.source.run().complete();
    one.name = in_place_of_base(report, machine);
    changes.push_back({std::move(one), machine});
  }
  return changes;
}

/// The error of the makespan, where the launches' spread does not explain it; 0 where nothing is known of one.
double validation_error(const Report& report) {
  const ValidatedPrediction* const launched = report.launched();
  return launched != nullptr && launched->makespan.distinguishable() ? launched->makespan.error() : 0;
}

/// What SMPI's time on the base machine is over the model's, less 1; nothing where it was not asked, or the two cannot
/// be compared.
std::optional<double> contention_of(const Report& report) {
  const analysis::Contention* const base = report.contention(report.base);
  if (base == nullptr) return {};
  return base->makespan.model > 0 ? base->makespan.difference() / base->makespan.model : 0;
}

bool compared_in_noise(const Validation& validation) {
  return validation.noise && !validation.noise->loop.quiet();
}

/// Says in the grounds what SMPI and launches say of a run.
void add_further_grounds(analysis::Grounds& grounds, const WeighedRun& run) {
  grounds.contention_known = run.contention_known;
  grounds.contention = run.contention;
  grounds.compared = run.compared;
  grounds.compared_in_noise = run.compared_in_noise;
  grounds.validation_error = run.validation_error;
}

analysis::Grounds grounds_of(const WeighedRun& run, std::size_t base) {
  const replay::LaneResult& lane = run.lanes[base];
  analysis::Grounds found = grounds(run.source.run(), run.asked.machine, run.rates, lane.makespan, lane.sensitivity);
  found.left_out = run.left_out;
  add_further_grounds(found, run);
  return found;
}

/// Says in the grounds how what processors spend on messages differs between two machines.
void compare_bases(analysis::Grounds& grounds, const WeighedRun& run, std::size_t base, std::size_t other) {
  const std::vector<MachineBasis> both{run.bases[base], run.bases[other]};
  const double makespan = run.lanes[base].makespan;
  const auto overhead = [&](std::size_t machine) { return replay::mean(run.lanes[machine]).overhead; };
  grounds.bases = overheads_bases(both);
  grounds.bases_differ = makespan > 0 ? std::abs(overhead(other) - overhead(base)) / makespan : 0;
}

/// Why each other machine is no choice on which the run does not end.
std::vector<MachineDeadlock> other_deadlocks(const WeighedRun& run, const Report& report) {
  std::vector<MachineDeadlock> found;
  std::optional<PlacedMachines> placed;
  for (std::size_t i = 0; i < report.machines.size(); ++i) {
    if (i == report.base || !run.lanes[i].deadlock) continue;
    if (!placed) placed.emplace(run.source.run(), options_of(run.asked, run.trace));
    Progress progress("searching " + run.trace, total_actions(run.source.run()));
    found.push_back(deadlock_on({.machine = i}, *placed, run.source, shown_on(progress)));
  }
  return found;
}

} // namespace

std::string in_place_of_base(const Report& report, std::size_t machine) {
  return report.machines[machine].name + " in place of " + report.machines[report.base].name;
}

const ReportedAnswer* RunAnswers::find(ChangeKind kind) const {
  const auto found = std::ranges::find(answers, kind, [](const ReportedAnswer& one) { return one.change.kind; });
  return found == answers.end() ? nullptr : &*found;
}

const ReportedAnswer* RunAnswers::best_machine() const {
  const ReportedAnswer* best = nullptr;
  for (const ReportedAnswer& one : answers)
    if (one.change.kind == ChangeKind::machine &&
        (best == nullptr || one.change.saving.expected > best->change.saving.expected))
      best = &one;
  return best;
}

std::vector<const ReportedAnswer*> RunAnswers::claims() const {
  const ReportedAnswer* const machine = best_machine();
  std::vector<const ReportedAnswer*> all{machine != nullptr ? machine : find(ChangeKind::network),
                                         find(ChangeKind::processors)};
  std::erase(all, nullptr);
  return all;
}

RunAnswers weigh(const WeighedRun& run, const Report& report) {
  RunAnswers weighed{.refusal = analysis::nothing_to_judge_by(run.source.run(), run.lanes),
                     .answers = {},
                     .deadlocks = other_deadlocks(run, report)};
  if (!weighed.refusal.empty()) return weighed;
  analysis::Grounds grounds = grounds_of(run, report.base);
  const auto add = [&](const Change& change) {
    weighed.answers.push_back({change, analysis::trust(grounds, change, report.asked.threshold)});
  };
  const auto figures_of = [&](std::size_t machine) {
    return machine_figures(report.machines[machine].name, report.machines[machine].trust, run.bases[machine].file);
  };
  const analysis::FiguresOf base = figures_of(report.base);
  for (OtherMachine& other : machine_changes(run, report)) {
    grounds.figures = {base, figures_of(other.machine)};
    compare_bases(grounds, run, report.base, other.machine);
    if (run.simulated_saving && other.machine == report.simulated_other)
      analysis::compare_with_simulation(other.change, *run.simulated_saving);
    add(other.change);
  }
  grounds.figures = {base};
  grounds.bases.clear();
  if (run.advice != nullptr) std::ranges::for_each(run.advice->changes, add);
  return weighed;
}

namespace {

/// The run that the report is about; `intervals` are its machines'.
WeighedRun run_of(const Report& report, const trace::Source& source,
                  std::span<const std::optional<analysis::Interval>> intervals) {
  const auto& advice = report.machines[report.base].advice;
  const std::optional<double> contention = contention_of(report);
  return {.source = source,
          .asked = report.asked,
          .trace = report.asked.traces.front(),
          .lanes = report.prediction.result.lanes,
          .bases = report.prediction.bases,
          .intervals = intervals,
          .rates = report.rates,
          .advice = advice ? &*advice : nullptr,
          .left_out = !report.prediction.result.not_modelled.empty(),
          .contention_known = contention.has_value(),
          .contention = contention.value_or(0),
          .simulated_saving = report.simulated_saving(),
          .compared = report.validates,
          .compared_in_noise = report.validates && compared_in_noise(*report.validation),
          .validation_error = validation_error(report)};
}

} // namespace

void weigh_upgrades(Report& report, const trace::Source& source) {
  std::vector<std::optional<analysis::Interval>> intervals;
  for (const ReportedMachine& machine : report.machines)
    intervals.push_back(machine.interval);
  static_cast<RunAnswers&>(report.verdict) = weigh(run_of(report, source, intervals), report);
  report.verdict.threshold = report.asked.threshold;
}

void price_upgrades(Report& report, const trace::Source& source) {
  if (report.asked.upgrades.empty()) return;
  const WeighedRun run = run_of(report, source, {});
  const analysis::Grounds known = grounds_of(run, report.base);
  const auto add_known = [&](analysis::Grounds& found) {
    found.rate_assumed = known.rate_assumed; // base_options() gives the one that is assumed for several platforms
    found.rate_given = known.rate_given;
    add_further_grounds(found, run);
  };
  report.upgrades = sweep(source, {.prediction = base_options(report),
                                   .axes = {},
                                   .grid = false,
                                   .advice = false,
                                   .worth = report.asked.threshold,
                                   .what_if = {},
                                   .upgrades = report.asked.upgrades,
                                   .break_even = {},
                                   .gain = {},
                                   .further_grounds = add_known});
  for (const std::string& note : report.upgrades->notes)
    if (std::ranges::find(report.notes, note) == report.notes.end() &&
        std::ranges::find(report.prediction.notes, note) == report.prediction.notes.end())
      report.notes.push_back(note);
}

} // namespace timeless::tools
