#include "analysis/sweep/advising.h"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace timeless::analysis {

namespace {

constexpr int steps_of_a_range = 16;

/// Places in a plan: as it is, then changed, in the order of ChangedTimes.
using ChangedPlaces = std::array<std::size_t, 5>;

struct PlannedSpeed {
  double speed = 1;
  ChangedPlaces places{};
};

ChangedPlaces plan_changes(SweepPlan& plan, SweepPoint point, double speed) {
  point.compute /= speed;
  const auto changed = [&](double bandwidth, double latency, double compute) {
    SweepPoint other = point;
    other.bandwidth *= bandwidth;
    other.latency *= latency;
    other.compute *= compute;
    return plan.add(other);
  };
  return {changed(1, 1, 1), changed(2, 1, 1), changed(1, 0.5, 1), changed(2, 0.5, 1), changed(1, 1, 0.5)};
}

std::optional<ChangedTimes> times_of(const Sweep& sweep, const PlannedSpeed& planned) {
  const auto at = [&](std::size_t i) -> const SweptConfiguration& {
    return sweep.configurations.at(planned.places[i]);
  };
  for (std::size_t i = 0; i < planned.places.size(); ++i)
    if (at(i).deadlock) return {};
  const double even = at(0).efficiencies.load_balance.value_or(1);
  return ChangedTimes{.speed = planned.speed,
                      .as_it_is = at(0).makespan,
                      .bandwidth = at(1).makespan,
                      .latency = at(2).makespan,
                      .network = at(3).makespan,
                      .free_network = at(0).ideal_makespan.value_or(std::numeric_limits<double>::infinity()),
                      .processors = at(4).makespan,
                      .balance = at(0).makespan - at(0).mean.compute * (1 / even - 1)};
}

std::vector<double> ends_of(const SpeedRange& range) {
  if (range.single()) return {1};
  return {1, range.slowest, range.fastest};
}

/// What helps at some of the points, by all speeds of theirs.
void advise_at(std::vector<std::optional<Advice>>& advice, std::span<const AdvisedPoint> where,
               std::span<const std::size_t> numbers, double threshold, std::vector<double> (*speeds)(const SpeedRange&),
               const ReplayedPoints& replay) {
  if (numbers.empty()) return;
  SweepPlan plan;
  std::vector<std::vector<PlannedSpeed>> planned;
  for (const std::size_t number : numbers) {
    auto& of_point = planned.emplace_back();
    for (const double speed : speeds(where[number].speeds))
      of_point.push_back({speed, plan_changes(plan, where[number].point, speed)});
  }
  const Sweep swept = replay(plan.points());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::vector<ChangedTimes> times;
    for (const PlannedSpeed& one : planned[i])
      if (const auto found = times_of(swept, one)) times.push_back(*found);
    if (times.size() != planned[i].size()) continue;
    const AdvisedPoint& point = where[numbers[i]];
    Advice& found = advice[numbers[i]].emplace(advise(std::move(times), threshold, point.network_used));
    if (point.recorded_part) found.limit_to_recorded_part();
  }
}

} // namespace

std::vector<double> speeds_within(const SpeedRange& range) {
  std::vector<double> speeds{1};
  for (int step = 0; step <= steps_of_a_range; ++step)
    speeds.push_back(range.slowest *
                     std::pow(range.fastest / range.slowest, static_cast<double>(step) / steps_of_a_range));
  return speeds;
}

std::vector<std::optional<Advice>> advise(std::span<const AdvisedPoint> where, double threshold,
                                          const ReplayedPoints& replay) {
  std::vector<std::optional<Advice>> advice(where.size());
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < where.size(); ++i)
    numbers.push_back(i);
  advise_at(advice, where, numbers, threshold, ends_of, replay);
  std::erase_if(numbers, [&](std::size_t number) { return !advice[number] || advice[number]->decided(); });
  advise_at(advice, where, numbers, threshold, speeds_within, replay);
  return advice;
}

} // namespace timeless::analysis
