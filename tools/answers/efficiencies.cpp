#include "tools/answers/efficiencies.h"

#include <algorithm>
#include <stdexcept>

namespace timeless::tools {

Efficiencies efficiencies(const replay::LaneResult& lane) {
  if (!lane.ideal_makespan) throw std::logic_error("efficiencies need the makespan without communication");
  if (!(lane.makespan > 0)) return {};
  double largest = 0;
  for (const replay::RankTimes& rank : lane.ranks)
    largest = std::max(largest, rank.compute);
  const double average = replay::mean(lane).compute;
  const double ideal = *lane.ideal_makespan;
  return {.load_balance = largest > 0 ? average / largest : 0,
          .serialisation = largest > 0 ? largest / ideal : 0,
          .transfer = ideal / lane.makespan,
          .communication = largest / lane.makespan,
          .parallel = average / lane.makespan};
}

} // namespace timeless::tools
