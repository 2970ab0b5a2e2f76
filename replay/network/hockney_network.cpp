#include "replay/network/hockney_network.h"

#include <utility>

namespace timeless::replay {

namespace {

std::vector<MachineLane> machine_lanes(const std::vector<HockneyLane>& lanes) {
  std::vector<MachineLane> all;
  for (const HockneyLane& lane : lanes)
    all.push_back(machine_lane(lane));
  return all;
}

} // namespace

MachineLane machine_lane(const HockneyLane& lane) {
  return {.name = lane.name,
          .between_nodes = hockney_costs(lane.between_nodes.latency, lane.between_nodes.byte_time),
          .within_node = hockney_costs(lane.within_node.latency, lane.within_node.byte_time),
          .memory_copy_byte_time = lane.memory_copy_byte_time,
          .reduction_byte_time = lane.reduction_byte_time,
          .compute_scale = lane.compute_scale};
}

Network hockney_network(const std::vector<HockneyLane>& lanes, Placement placement) {
  return machine_network(machine_lanes(lanes), std::move(placement));
}

} // namespace timeless::replay
