#pragma once

#include "replay/network/hockney_network.h"
#include "replay/network/network.h"
#include "replay/result/result.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace timeless::replay::test {

/// Costs of one lane between any two ranks; units of volume take one second each.
struct FlatCosts {
  double latency = 0;
  double byte_time = 0;
  double memory_copy = 0;
  double reduction = 0;
  double compute_scale = 1;
};

/// A machine whose ranks are all equally far apart, one lane for each set of costs.
HockneyNetwork flat_machine(Rank ranks, const std::vector<FlatCosts>& lanes);

/// Two ranks on each node, and lanes with fractions, so that any other order of sums would show. A lane's costs depend
/// on its number in `lanes` only.
HockneyNetwork fractional_machine(Rank ranks, const std::vector<std::size_t>& lanes);

/// A machine with several link classes, message-size segments, overheads and rates, all small whole numbers drawn from
/// a seed: sums of a replay's times are then exact in double arithmetic.
class IntegerMachine : public Network {
public:
  /// `lane_seeds` gives each lane its costs, so that the same lane can stand in several machines.
  IntegerMachine(Rank ranks, std::uint64_t seed, std::vector<std::uint64_t> lane_seeds);

  std::span<const std::string> lanes() const override { return names_; }
  std::span<const Bytes> thresholds() const override { return thresholds_; }
  LinkClass link(Rank from, Rank to) override;
  LinkClass collective_link(std::span<const Rank> members) override;
  void costs(LinkClass link, std::size_t segment, std::span<double> latency,
             std::span<double> byte_time) const override;
  bool scales(LinkClass link) const override { return link != 0; }
  std::uint32_t ranks_on_node(Rank rank) const override { return static_cast<std::uint32_t>(rank % 3 + 1); }
  std::span<const double> memory_copy_byte_time() const override { return memory_copy_; }
  std::span<const double> reduction_byte_time() const override { return reduction_; }
  std::span<const double> compute_scale() const override { return compute_scale_; }
  double seconds_per_unit(Rank rank) const override;
  double send_overhead(Bytes bytes) const override;
  double isend_overhead(Bytes bytes) const override;
  double receive_overhead(Bytes bytes) const override;
  /// With some of the ways in which libraries differ, drawn from the seed.
  MpiLibrary library() const override;

  /// Lets the machine have what only some networks have: overheads that differ by lane and link, ports, constants
  /// beside bytes, and kernels that compute at their own rates; all drawn from the seeds.
  void add_rarities() { rare_ = true; }
  bool transfer_constant(LinkClass link, std::size_t segment, std::span<double> seconds) const override;
  bool overheads_by_lane() const override { return rare_; }
  void overheads(Overhead which, LinkClass link, std::size_t segment, const LaneSeconds& seconds) const override;
  bool ports() const override { return rare_; }
  void port(LinkClass link, std::size_t segment, const LaneSeconds& seconds) const override;
  double kernel_factor(trace::KernelId kernel) const override;

private:
  std::uint64_t row(LinkClass link, std::size_t segment) const {
    return 8 * (link * (thresholds_.size() + 1) + segment);
  }

  Rank ranks_;
  std::uint64_t seed_;
  std::vector<std::uint64_t> lane_seeds_;
  std::vector<std::string> names_;
  std::vector<Bytes> thresholds_{64, 4096};
  std::vector<double> memory_copy_;
  std::vector<double> reduction_;
  std::vector<double> compute_scale_;
  std::set<LinkClass> named_; ///< as platforms do, it remembers what it was asked for: not for two threads at once
  bool rare_ = false;
};

/// A machine whose lanes have eager limits of their own, and a handshake that is not a number of latencies. Some pairs'
/// processors take their time for it, too.
class LimitedMachine : public IntegerMachine {
public:
  LimitedMachine(Rank ranks, std::uint64_t seed, std::vector<std::uint64_t> lane_seeds, std::vector<Bytes> limits)
      : IntegerMachine(ranks, seed, std::move(lane_seeds)), limits_(std::move(limits)) {}

  std::span<const Bytes> eager_limits() const override { return limits_; }
  void handshake(LinkClass link, std::size_t segment, std::span<double> seconds) const override;
  bool handshake_overhead(LinkClass link, std::size_t segment, std::span<double> seconds) const override;
  Bytes departs_at_once_below() const override { return departs_at_once_below_; }
  /// From this size on, messages set off when their receive is posted.
  void depart_late(Bytes from) { departs_at_once_below_ = from; }
  double synchronous_send_overhead(Bytes bytes) const override { return send_overhead(bytes) + 3; }
  double synchronous_receive_overhead(Bytes bytes) const override { return receive_overhead(bytes) + 5; }

private:
  std::vector<Bytes> limits_;
  Bytes departs_at_once_below_ = no_eager_limit;
};

/// A size from which messages depart late, or none.
Bytes some_late_departures(std::uint64_t seed);

/// Eager limits for these lanes: a few sizes, or none.
std::vector<Bytes> some_eager_limits(std::uint64_t seed, std::size_t lanes);

/// True when they are the same to the last bit.
bool same_bits(const RankTimes& left, const RankTimes& right);
bool same_bits(const Sensitivity& left, const Sensitivity& right);
/// Names aside.
bool same_bits(const LaneResult& left, const LaneResult& right);

} // namespace timeless::replay::test
