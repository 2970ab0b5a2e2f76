#include "tools/reporting/deadlocks.h"

#include <algorithm>
#include <vector>

namespace timeless::tools {

namespace {

using trace::Bytes;

constexpr Bytes most_limit = Bytes{1} << 30U; ///< larger ones are as good as none

/// The powers of two that are larger than a limit, then none.
std::vector<Bytes> larger_limits(Bytes limit) {
  std::vector<Bytes> limits;
  for (Bytes larger = 1; larger <= most_limit; larger *= 2)
    if (larger > limit) limits.push_back(larger);
  limits.push_back(replay::no_eager_limit);
  return limits;
}

/// The least that the machine has, of those between nodes and within one.
Bytes own_limit(std::size_t machine, const PlacedMachines& machines, const trace::Run& run) {
  const MachineConfiguration own{.machine = machine};
  const replay::Lane lane = machines.network(run, std::span(&own, 1)).lanes.at(0);
  return std::min(lane.eager_limit, lane.eager_limit_within_node.value_or(lane.eager_limit));
}

} // namespace

ReportedDeadlock deadlock_on(std::size_t machine, const PlacedMachines& machines, const trace::Source& source,
                             const replay::ReplayOptions& options) {
  ReportedDeadlock found{.machine = machine, .eager_limit = own_limit(machine, machines, source.run())};
  const std::vector<Bytes> limits = larger_limits(found.eager_limit);
  std::vector<MachineConfiguration> configurations;
  for (const Bytes limit : limits)
    configurations.push_back({.machine = machine, .scaling = {}, .eager_limit = limit});
  const replay::Result result = machines.replay(source, configurations, options);
  const auto ends =
      std::ranges::find_if(result.lanes, [](const replay::LaneResult& lane) { return lane.deadlock == nullptr; });
  if (ends == result.lanes.end()) return found;
  found.ends_from = limits[static_cast<std::size_t>(ends - result.lanes.begin())];
  found.makespan = ends->makespan;
  return found;
}

} // namespace timeless::tools
