#include "tools/replaying/sweep/ending_limits.h"

#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
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
Bytes own_limit(const MachineConfiguration& own, const PlacedMachines& machines, const trace::Run& run) {
  const replay::Lane lane = machines.network(run, std::span(&own, 1)).lanes.at(0);
  return std::min(lane.eager_limit, lane.eager_limit_within_node.value_or(lane.eager_limit));
}

} // namespace

MachineDeadlock deadlock_on(const MachineConfiguration& machine, const PlacedMachines& machines,
                            const trace::Source& source, const replay::ReplayOptions& options) {
  MachineDeadlock found{.machine = machine.machine, .eager_limit = own_limit(machine, machines, source.run())};
  const std::vector<Bytes> limits = larger_limits(found.eager_limit);
  std::vector<MachineConfiguration> configurations(limits.size(), machine);
  for (std::size_t i = 0; i < limits.size(); ++i)
    configurations[i].eager_limit = limits[i];
  const replay::Result result = machines.replay(source, configurations, options);
  const auto ends =
      std::ranges::find_if(result.lanes, [](const replay::LaneResult& lane) { return lane.deadlock == nullptr; });
  if (ends == result.lanes.end()) return found;
  found.ends_from = limits[static_cast<std::size_t>(ends - result.lanes.begin())];
  found.makespan = ends->makespan;
  return found;
}

std::string ending_limit_words(Bytes limit) {
  return limit == replay::no_eager_limit ? "with none it ends" : "ends from " + whole_bytes(limit) + " on";
}

std::string deadlock_claim(const std::string& machine, const MachineDeadlock& deadlock) {
  const std::string text = fmt::format("On {} the program deadlocks: messages above its eager limit of {} wait for "
                                       "receives that come later",
                                       machine, whole_bytes(deadlock.eager_limit));
  if (!deadlock.ends_from) return text + ". Let the program post its receives before it sends";
  if (*deadlock.ends_from == replay::no_eager_limit)
    return fmt::format(
        "{}. Without an eager limit it ends, after {}: let the program post its receives before it sends", text,
        human_seconds(deadlock.makespan));
  return fmt::format(
      "{}. With a limit of {} or more it ends, after {}: raise that of the MPI library on {}, or let the "
      "program post its receives before it sends",
      text, whole_bytes(*deadlock.ends_from), human_seconds(deadlock.makespan), machine);
}

replay::ReplayProblem with_limits(const replay::ReplayProblem& problem, std::span<const MachineConfiguration> asked,
                                  const PlacedMachines& machines, const trace::Source& source,
                                  const replay::ReplayOptions& options) {
  replay::Diagnosis diagnosis = problem.diagnosis();
  try {
    for (const MachineConfiguration& one : asked)
      diagnosis.remarks.push_back(
          deadlock_claim(machines.bases().at(one.machine).name, deadlock_on(one, machines, source, options)) + ".");
  } catch (const replay::ReplayProblem&) {
    return problem; // with no eager limit either
  }
  return replay::ReplayProblem(std::move(diagnosis));
}

} // namespace timeless::tools
