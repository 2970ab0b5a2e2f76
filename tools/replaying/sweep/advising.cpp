#include "tools/replaying/sweep/advising.h"

#include <span>
#include <utility>

namespace timeless::tools {

namespace {

MachineConfiguration configured(const analysis::SweepPoint& point) {
  return {.machine = point.machine, .scaling = point.scaling()};
}

} // namespace

analysis::ReplayedPoints replayed_points(const PlacedMachines& machines, const trace::Source& source,
                                         replay::ReplayOptions options) {
  analysis::SweepOptions sweeping{.machines = {},
                                  .share_a_pass =
                                      [&](const analysis::SweepPoint& one, const analysis::SweepPoint& other) {
                                        return machines.share_a_network(configured(one), configured(other));
                                      },
                                  .ranks = static_cast<std::size_t>(source.run().size),
                                  .one_must_end = false}; // the judgement before it says so
  for (const MachineBasis& basis : machines.bases())
    sweeping.machines.push_back(basis.name);
  const auto replay = [&, options = std::move(options)](std::span<const analysis::SweepPoint> points) {
    std::vector<MachineConfiguration> configurations;
    for (const analysis::SweepPoint& point : points)
      configurations.push_back(configured(point));
    return machines.replay(source, configurations, options);
  };
  return [sweeping = std::move(sweeping), replay](std::span<const analysis::SweepPoint> points) {
    return analysis::sweep(points, replay, sweeping);
  };
}

std::vector<std::optional<analysis::Advice>> advise(const PlacedMachines& machines, const trace::Source& source,
                                                    const PresetMachineOptions& rates, double worth,
                                                    replay::ReplayOptions options) {
  options.ideal = true;
  std::vector<analysis::AdvisedPoint> where;
  for (const MachineBasis& basis : machines.bases())
    where.push_back({.point = {.machine = where.size()},
                     .speeds = rate_range(rates, basis.compute).speeds,
                     .network_used = basis.network_used(),
                     .recorded_part = !source.run().complete()});
  return analysis::advise(where, worth, replayed_points(machines, source, std::move(options)));
}

} // namespace timeless::tools
