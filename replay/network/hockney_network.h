#pragma once

#include "replay/network/machine_network.h"

#include <string>
#include <vector>

namespace timeless::replay {

/// Hockney's model of a link: n bytes take latency + n * byte_time.
struct LinkCost {
  double latency = 0;   ///< seconds
  double byte_time = 0; ///< seconds per byte
};

/// One configuration whose links are two lines.
struct HockneyLane {
  std::string name;
  LinkCost between_nodes;
  LinkCost within_node;
  double memory_copy_byte_time = 0; ///< seconds per byte
  double reduction_byte_time = 0;   ///< seconds per byte
  double compute_scale = 1;         ///< computation time is multiplied by it
};

MachineLane machine_lane(const HockneyLane& lane);

/// Returns the network of a machine of such configurations (see machine_network).
Network hockney_network(const std::vector<HockneyLane>& lanes, Placement placement);

} // namespace timeless::replay
