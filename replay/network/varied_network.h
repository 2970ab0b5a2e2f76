#pragma once

#include "replay/network/network.h"

#include <span>
#include <string>
#include <vector>

namespace timeless::replay {

/// A lane of another network, with some of its costs multiplied.
struct Variation {
  std::size_t lane = 0;
  double latency = 1;   ///< of links that Network::scales() names
  double byte_time = 1; ///< likewise
  double compute = 1;   ///< of the computation's time
};

/// Lanes derived from those of another network, whatever sort of network it is: all costs are as compiled there, so
/// they are linear in the variations' factors.
class VariedNetwork : public Network {
public:
  /// The network must outlive this one. Throws Error(usage) for lanes it does not have, and factors that are negative
  /// or not finite.
  VariedNetwork(Network& network, std::vector<Variation> variations);

  std::span<const std::string> lanes() const override { return names_; }
  std::span<const Bytes> thresholds() const override { return network_.thresholds(); }
  LinkClass link(Rank from, Rank to) override { return network_.link(from, to); }
  LinkClass collective_link(std::span<const Rank> members) override { return network_.collective_link(members); }
  void costs(LinkClass link, std::size_t segment, std::span<double> latency,
             std::span<double> byte_time) const override;
  bool scales(LinkClass link) const override { return network_.scales(link); }
  std::uint32_t ranks_on_node(Rank rank) const override { return network_.ranks_on_node(rank); }
  std::span<const double> memory_copy_byte_time() const override { return memory_copy_; }
  std::span<const double> reduction_byte_time() const override { return reduction_; }
  std::span<const double> compute_scale() const override { return compute_scale_; }
  double seconds_per_unit(Rank rank) const override { return network_.seconds_per_unit(rank); }
  double send_overhead(Bytes bytes) const override { return network_.send_overhead(bytes); }
  MpiLibrary library() const override { return network_.library(); }
  Bytes departs_at_once_below() const override { return network_.departs_at_once_below(); }
  double isend_overhead(Bytes bytes) const override { return network_.isend_overhead(bytes); }
  double receive_overhead(Bytes bytes) const override { return network_.receive_overhead(bytes); }
  double synchronous_send_overhead(Bytes bytes) const override { return network_.synchronous_send_overhead(bytes); }
  double synchronous_receive_overhead(Bytes bytes) const override {
    return network_.synchronous_receive_overhead(bytes);
  }
  std::span<const Bytes> eager_limits() const override { return eager_limits_; }
  void handshake(LinkClass link, std::size_t segment, std::span<double> seconds) const override;
  bool handshake_overhead(LinkClass link, std::size_t segment, std::span<double> seconds) const override;
  bool transfer_constant(LinkClass link, std::size_t segment, std::span<double> seconds) const override;
  bool overheads_by_lane() const override { return network_.overheads_by_lane(); }
  void overheads(Overhead which, LinkClass link, std::size_t segment, const LaneSeconds& seconds) const override;
  bool ports() const override { return network_.ports(); }
  void port(LinkClass link, std::size_t segment, const LaneSeconds& seconds) const override;
  double kernel_factor(trace::KernelId kernel) const override { return network_.kernel_factor(kernel); }

private:
  /// One value per variation, from one per lane; nothing from nothing.
  template <typename Value>
  std::vector<Value> chosen(std::span<const Value> values) const;

  Network& network_;
  std::vector<Variation> variations_;
  std::vector<std::string> names_;
  std::vector<double> memory_copy_;
  std::vector<double> reduction_;
  std::vector<double> compute_scale_;
  std::vector<Bytes> eager_limits_;
};

} // namespace timeless::replay
