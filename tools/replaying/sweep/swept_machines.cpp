#include "tools/replaying/sweep/swept_machines.h"

#include <fmt/format.h>

#include <algorithm>

namespace timeless::tools {

namespace {

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
}

std::size_t place(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

} // namespace

void SweptMachines::add(const MachineChange& change) {
  add_once(networks_, change.network);
  add_once(platforms_, change.platform);
}

std::vector<std::size_t> SweptMachines::asked() const {
  std::vector<std::size_t> machines;
  for (std::size_t i = 0; i < asked_networks_; ++i)
    machines.push_back(i);
  for (std::size_t i = 0; i < asked_platforms_; ++i)
    machines.push_back(networks_.size() + i);
  return machines;
}

analysis::SweepPoint SweptMachines::changed(analysis::SweepPoint point, const MachineChange& change) const {
  if (!change.network.empty()) point.machine = place(networks_, change.network);
  if (!change.platform.empty()) point.machine = networks_.size() + place(platforms_, change.platform);
  point.bandwidth = change.bandwidth;
  point.latency = change.latency;
  point.compute = change.compute;
  if (change.eager_limit) point.eager_limit = change.eager_limit;
  if (change.collectives) point.collectives = *change.collectives;
  if (change.ranks_per_node) point.ranks_per_node = *change.ranks_per_node;
  return point;
}

std::string swept_name(const analysis::SweptConfiguration& one, const analysis::SweepAxes& axes) {
  const analysis::SweepPoint& point = one.point;
  std::string name = one.name;
  if (point.ranks_per_node > 0) name += fmt::format(", {} to a node", point.ranks_per_node);
  if (axes.collectives.size() > 1 || point.collectives != axes.collectives.front())
    name += fmt::format(", {} collectives", replay::name(point.collectives));
  if (!point.eager_limit || (axes.eager_limits.size() == 1 && point.eager_limit == axes.eager_limits.front()))
    return name;
  return name + (point.eager_limit == replay::no_eager_limit ? ", no eager limit"
                                                             : fmt::format(", eager to {} B", *point.eager_limit));
}

} // namespace timeless::tools
