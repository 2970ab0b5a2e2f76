#include "analysis/efficiencies.h"

#include <algorithm>
#include <stdexcept>

namespace timeless::analysis {

namespace {

std::optional<double> share_of(double part, double whole) {
  return whole > 0 ? std::optional(part / whole) : std::nullopt;
}

} // namespace

Efficiencies efficiencies(const replay::LaneResult& lane) {
  if (!lane.ideal_makespan) throw std::logic_error("efficiencies need the makespan without communication");
  double largest = 0;
  for (const replay::RankTimes& rank : lane.ranks)
    largest = std::max(largest, rank.compute);
  const double average = replay::mean(lane).compute;
  const double ideal = *lane.ideal_makespan;
  return {.load_balance = share_of(average, largest),
          .serialisation = share_of(largest, ideal),
          .transfer = share_of(ideal, lane.makespan),
          .communication = share_of(largest, lane.makespan),
          .parallel = share_of(average, lane.makespan)};
}

} // namespace timeless::analysis
