#pragma once

#include "replay/network/link_costs.h"
#include "replay/network/network.h"

#include <cstdint>
#include <string>
#include <vector>

namespace timeless::replay {

/// One configuration of a machine with two levels of links ("intra-node and inter-node" in Tong et al., section III.B).
struct MachineLane {
  std::string name;
  LinkCosts between_nodes = {};
  LinkCosts within_node = {};
  std::optional<Bytes> eager_limit = {}; ///< larger messages wait for their receive; nothing: none do
  double handshake_latencies = 2;        ///< of a rendezvous, before the message sets off
  double memory_copy_byte_time = 0;      ///< seconds per byte
  double reduction_byte_time = 0;        ///< seconds per byte
  double compute_scale = 1;              ///< computation time is multiplied by it
};

/// Where the ranks run and how fast they compute there.
struct Placement {
  /// Ranks with equal numbers share a node. Its length is the number of ranks.
  std::vector<std::uint32_t> node_of_rank;
  /// Seconds per unit of volume: one value per rank, or one for all.
  std::vector<double> seconds_per_unit;
  /// What each kernel's volumes are multiplied by, by KernelId; 1 for those that are not there.
  std::vector<double> kernel_factors = {};
};

/// Each rank on a node of its own.
Placement one_rank_per_node(Rank ranks, double seconds_per_unit);

/// A machine of two link classes, within a node and between nodes, without contention. Its lanes may differ in all
/// they say of messages: a fitted line beside LogGP beside a measured table.
class MachineNetwork : public Network {
public:
  /// Throws Error(usage) without lanes, with values that are negative or not finite, or with rates that fit neither one
  /// nor every rank.
  MachineNetwork(std::vector<MachineLane> lanes, Placement placement);

  std::span<const std::string> lanes() const override { return names_; }
  std::span<const Bytes> thresholds() const override { return thresholds_; }
  LinkClass link(Rank from, Rank to) override;
  /// Between nodes as soon as two members do not share one.
  LinkClass collective_link(std::span<const Rank> members) override;
  void costs(LinkClass link, std::size_t segment, std::span<double> latency,
             std::span<double> byte_time) const override;
  bool scales(LinkClass link) const override;
  std::uint32_t ranks_on_node(Rank rank) const override;
  bool transfer_constant(LinkClass link, std::size_t segment, std::span<double> seconds) const override;
  std::span<const double> memory_copy_byte_time() const override { return memory_copy_; }
  std::span<const double> reduction_byte_time() const override { return reduction_; }
  std::span<const double> compute_scale() const override { return compute_scale_; }
  double seconds_per_unit(Rank rank) const override;
  double kernel_factor(trace::KernelId kernel) const override;
  bool overheads_by_lane() const override { return overheads_; }
  void overheads(Overhead which, LinkClass link, std::size_t segment, const LaneSeconds& seconds) const override;
  bool ports() const override { return ports_; }
  void port(LinkClass link, std::size_t segment, const LaneSeconds& seconds) const override;
  std::span<const Bytes> eager_limits() const override { return eager_limits_; }
  void handshake(LinkClass link, std::size_t segment, std::span<double> seconds) const override;
  bool handshake_overhead(LinkClass link, std::size_t segment, std::span<double> seconds) const override;

private:
  std::uint32_t node(Rank rank) const;
  const MessageCosts& message_costs(std::size_t lane, LinkClass link, std::size_t segment) const;

  std::vector<MachineLane> configurations_;
  Placement placement_;
  std::vector<std::string> names_;
  std::vector<Bytes> thresholds_;
  std::vector<Bytes> eager_limits_; ///< empty when no lane has one
  std::vector<double> memory_copy_;
  std::vector<double> reduction_;
  std::vector<double> compute_scale_;
  bool overheads_ = false;
  bool ports_ = false;
};

} // namespace timeless::replay
