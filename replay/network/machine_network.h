#pragma once

#include "replay/network/link_costs.h"
#include "replay/network/network.h"

#include <optional>
#include <string>
#include <vector>

namespace timeless::replay {

/// One configuration of a machine with two levels of links ("intra-node and inter-node" in Tong et al., section III.B).
struct MachineLane {
  std::string name;
  LinkCosts between_nodes = {};
  LinkCosts within_node = {};
  std::optional<Bytes> eager_limit = {}; ///< larger messages wait for their receive; nothing: none do
  std::optional<Bytes> eager_limit_within_node = {}; ///< the same within a node; nothing: as eager_limit says
  double handshake_latencies = 2;        ///< of a rendezvous, before the message sets off
  double memory_copy_byte_time = 0;      ///< seconds per byte
  double reduction_byte_time = 0;        ///< seconds per byte
  double compute_scale = 1;              ///< computation time is multiplied by it
};

/// Returns a machine of two link classes, within a node and between nodes, without contention. Its lanes may differ in
/// all they say of messages: a fitted line beside LogGP beside a measured table. Throws Error(usage) without lanes,
/// with values that are negative or not finite, or with rates that fit neither one nor every rank.
Network machine_network(const std::vector<MachineLane>& lanes, Placement placement);

} // namespace timeless::replay
