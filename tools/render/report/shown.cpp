#include "tools/render/report/shown.h"

#include "tools/reporting/upgrades.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace timeless::tools {

namespace {

constexpr std::size_t most_machines = 8;
constexpr std::size_t most_runs = 12;
constexpr std::size_t most_run_rows = 40;

/// How a machine ranks among those that are shown: the base machine, then by what the others save.
double rank_of(std::size_t machine, const Report& report) {
  constexpr double most = std::numeric_limits<double>::infinity();
  if (machine == report.base) return most;
  const replay::LaneResult& lane = report.lane(machine);
  return lane.deadlock ? -most : -lane.makespan;
}

} // namespace

bool holds(const std::vector<std::size_t>& places, std::size_t place) {
  return std::ranges::find(places, place) != places.end();
}

std::vector<std::size_t> evenly(std::size_t count, std::size_t most) {
  std::vector<std::size_t> places;
  const std::size_t taken = std::min(count, most);
  for (std::size_t i = 0; i < taken; ++i)
    places.push_back(taken == 1 ? 0 : i * (count - 1) / (taken - 1));
  return places;
}

std::vector<std::size_t> shown_machines(const Report& report) {
  std::vector<std::size_t> all = evenly(report.machines.size(), report.machines.size());
  std::ranges::stable_sort(all, std::greater{}, [&](std::size_t machine) { return rank_of(machine, report); });
  all.resize(std::min(all.size(), most_machines));
  std::ranges::sort(all);
  return all;
}

std::vector<std::string> shown_offers(const Report& report) {
  std::vector<std::string> offers;
  for (const std::size_t machine : shown_machines(report))
    if (machine != report.base) offers.push_back(in_place_of_base(report, machine));
  return offers;
}

std::vector<std::size_t> shown_runs(const Report& report) {
  std::vector<std::size_t> shown = evenly(report.traces.size(), most_runs);
  if (holds(shown, report.about)) return shown;
  const auto after = std::ranges::upper_bound(shown, report.about); // neither the first nor the last
  *(after - 1 == shown.begin() ? after : after - 1) = report.about;
  return shown;
}

void choose_shown(std::vector<RunRow>& rows, const Report& report) {
  if (rows.size() <= most_run_rows) return;
  const std::vector<std::size_t> runs = shown_runs(report);
  for (RunRow& row : rows) {
    const ReportedAnswer* const best = report.traces[row.run].weighed.best_machine();
    const bool tells =
        row.what.empty() || (row.of != nullptr && (row.of == best || analysis::is_of_processors(row.of->change.kind)));
    row.shown = tells && holds(runs, row.run);
  }
}

} // namespace timeless::tools
