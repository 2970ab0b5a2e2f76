#pragma once

#include "replay/network/network.h"
#include "replay/network/presets.h"
#include "replay/simgrid/mapping.h"
#include "replay/simgrid/platform.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace timeless::replay {

/// "graphene", "graphene bandwidth x2 latency x0.5".
std::string lane_name(const Platform& platform, const Scaling& scaling);

/// Seconds that one unit of a run's volumes takes on a host: at the given rate (instructions, or whatever else was
/// counted, per second of every rank), else at the host's speed, one instruction for one flop. Nanoseconds need
/// neither. Throws Error(usage) for counted events without a rate.
double seconds_per_unit(const trace::Counter& counter, const PlatformHost& host,
                        std::optional<double> units_per_second);

/// How the ranks of a run use a platform.
struct SimgridNetworkOptions {
  /// One lane each. Bandwidth and latency change for every link but loopbacks; the windows of TCP stay.
  std::vector<Scaling> lanes = {Scaling{}};
  std::optional<double> units_per_second = {}; ///< see seconds_per_unit
  std::vector<double> seconds_per_unit = {};   ///< by host, instead; empty: as above
  std::vector<double> kernel_factors = {};     ///< see replay::kernel_factors
  /// Seconds per byte of the sender's copy. 0 by default: SMPI's overheads, where a platform has them, hold it.
  double memory_copy_byte_time = 0;
};

/// The contention-free twin of SMPI on a platform file: the same routes, factors and overheads, each message alone.
///
/// A message of n bytes pays, as in SimGrid 3.32 (NetworkCm02Model::comm_action_set_bounds),
///   latency(route) * latency_factor(n + 16) + (n + 16) / (bandwidth(route) * bandwidth_factor(n + 16)),
/// bandwidth(route) being the tightest link's, and at most tcp_window / (2 * latency(route)). The 16 bytes are SMPI's
/// envelope; their time stands with the latency. docs/platforms.md says where the twins differ.
class SimgridNetwork : public Network {
public:
  /// The platform must outlive the network. Throws Error(usage) without lanes, or with factors or rates that are not
  /// above 0.
  SimgridNetwork(const Platform& platform, const trace::Run& run, const Mapping& mapping,
                 SimgridNetworkOptions options = {});

  std::span<const std::string> lanes() const override { return names_; }
  std::span<const Bytes> thresholds() const override { return thresholds_; }
  LinkClass link(Rank from, Rank to) override;
  /// The slowest of the routes from each member to the next and to the first, by latency and then by bandwidth.
  LinkClass collective_link(std::span<const Rank> members) override;
  void costs(LinkClass link, std::size_t segment, std::span<double> latency,
             std::span<double> byte_time) const override;
  bool scales(LinkClass link) const override;
  /// SMPI's own ways, also in the algorithms that it took from MPICH and Open MPI: alltoall__mvapich2_scatter_dest,
  /// Request::sendrecv, alltoallv__bruck, scatter__ompi_binomial, allgather__ring, igatherv and iscatterv.
  MpiLibrary library() const override {
    return {.alltoall_throttle = 4,
            .side_by_side = true,
            .sends_before_posting = true,
            .copies_own_part = true,
            .scatters_small_first = true,
            .allgathers_directly = true,
            .sends_empty_parts = true};
  }
  std::uint32_t ranks_on_node(Rank rank) const override;
  std::span<const double> memory_copy_byte_time() const override { return memory_copy_; }
  /// 0: SMPI charges no arithmetic.
  std::span<const double> reduction_byte_time() const override { return reduction_; }
  std::span<const double> compute_scale() const override { return compute_scale_; }
  double seconds_per_unit(Rank rank) const override;
  double kernel_factor(trace::KernelId kernel) const override;
  double send_overhead(Bytes bytes) const override;
  double isend_overhead(Bytes bytes) const override;
  double receive_overhead(Bytes bytes) const override;
  double synchronous_send_overhead(Bytes bytes) const override;
  double synchronous_receive_overhead(Bytes) const override { return 0; }
  std::span<const Bytes> eager_limits() const override { return eager_limits_; }
  Bytes departs_at_once_below() const override;
  /// 0: in SMPI the message sets off as soon as both have come.
  void handshake(LinkClass link, std::size_t segment, std::span<double> seconds) const override;

private:
  std::uint32_t node(Rank rank) const;
  LinkClass route_class(std::uint32_t from, std::uint32_t to);
  LinkClass class_of(const Route& route);

  const Platform& platform_;
  SimgridNetworkOptions options_;
  std::vector<std::uint32_t> node_of_rank_;
  std::vector<double> seconds_per_unit_; ///< by rank
  std::vector<std::string> names_;
  std::vector<Bytes> thresholds_;
  std::vector<Bytes> eager_limits_;
  std::vector<double> memory_copy_;
  std::vector<double> reduction_;
  std::vector<double> compute_scale_;
  std::vector<Route> classes_;
  std::unordered_map<std::uint64_t, LinkClass> known_; ///< by pair of hosts
};

} // namespace timeless::replay
