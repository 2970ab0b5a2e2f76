#pragma once

#include "replay/platform/network.h"

#include <string>
#include <vector>

namespace timeless::replay {

/// Hockney's model of a link: n bytes take latency + n * byte_time.
struct LinkCost {
  double latency = 0;   ///< seconds
  double byte_time = 0; ///< seconds per byte
};

/// One configuration of a machine with two levels of links ("intra-node and inter-node" in Tong et al., section III.B).
struct HockneyLane {
  std::string name;
  LinkCost between_nodes;
  LinkCost within_node;
  double memory_copy_byte_time = 0; ///< seconds per byte
  double reduction_byte_time = 0;   ///< seconds per byte
  double compute_scale = 1;         ///< computation time is multiplied by it
};

/// Where the ranks run and how fast they compute there.
struct Placement {
  /// Ranks with equal numbers share a node. Its length is the number of ranks.
  std::vector<std::uint32_t> node_of_rank;
  /// Seconds per unit of volume: one value per rank, or one for all.
  std::vector<double> seconds_per_unit;
};

/// Each rank on a node of its own.
Placement one_rank_per_node(Rank ranks, double seconds_per_unit);

/// A machine of two link classes, within a node and between nodes, without contention.
class HockneyNetwork : public Network {
public:
  /// Throws Error(usage) without lanes, with values that are negative or not finite, or with rates that fit neither one
  /// nor every rank.
  HockneyNetwork(std::vector<HockneyLane> lanes, Placement placement);

  std::span<const std::string> lanes() const override { return names_; }
  LinkClass link(Rank from, Rank to) override;
  /// Between nodes as soon as two members do not share one.
  LinkClass collective_link(std::span<const Rank> members) override;
  void costs(LinkClass link, std::size_t segment, std::span<double> latency,
             std::span<double> byte_time) const override;
  bool scales(LinkClass link) const override;
  std::span<const double> memory_copy_byte_time() const override { return memory_copy_; }
  std::span<const double> reduction_byte_time() const override { return reduction_; }
  std::span<const double> compute_scale() const override { return compute_scale_; }
  double seconds_per_unit(Rank rank) const override;

private:
  std::uint32_t node(Rank rank) const;

  std::vector<HockneyLane> configurations_;
  Placement placement_;
  std::vector<std::string> names_;
  std::vector<double> memory_copy_;
  std::vector<double> reduction_;
  std::vector<double> compute_scale_;
};

} // namespace timeless::replay
