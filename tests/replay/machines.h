#pragma once

#include "replay/network/hockney_network.h"
#include "replay/network/network.h"
#include "replay/result/result.h"

#include <cstdint>
#include <string>
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

/// Returns a machine whose ranks are all equally far apart, one lane for each set of costs.
Network flat_machine(Rank ranks, const std::vector<FlatCosts>& lanes);

/// Puts two ranks on each node, and makes lanes with fractions, so that any other order of sums would show. A lane's
/// costs depend on its number in `lanes` only.
Network fractional_machine(Rank ranks, const std::vector<std::size_t>& lanes);

/// Returns the same machine with an eager limit for each lane.
Network with_eager_limits(Network network, const std::vector<Bytes>& limits);

/// A machine with several link classes, which a router names as it is asked, message-size segments, overheads and
/// rates, all small whole numbers drawn from a seed: sums of a replay's times are then exact in double arithmetic. One,
/// two or three ranks share a node.
class IntegerMachine : public Network {
public:
  /// Draws a machine. `lane_seeds` gives each lane its costs, so that the same lane can stand in several machines.
  IntegerMachine(Rank ranks, std::uint64_t seed, std::vector<std::uint64_t> lane_seeds);

  /// Adds what only some networks have: overheads that differ by lane and link, ports, constants beside bytes, and
  /// kernels that compute at their own rates; all drawn from the seeds.
  void add_rarities();

protected:
  /// Calls change(class, costs) for each, and has a table of them, which was never asked.
  template <typename Change>
  void for_each_class(Change change) {
    for (std::size_t link = 0; link < classes_.size(); ++link)
      change(static_cast<LinkClass>(link), classes_[link]);
    make_table();
  }

private:
  ClassCosts costs(LinkClass link) const;
  void add_rarities(LinkClass link, ClassCosts& costs) const;
  void make_table();

  Rank ranks_;
  std::uint64_t seed_;
  std::vector<std::uint64_t> lane_seeds_;
  std::vector<ClassCosts> classes_;
};

/// A machine whose lanes have eager limits of their own, and a handshake that is not a number of latencies. Some pairs'
/// processors take their time for it, too.
class LimitedMachine : public IntegerMachine {
public:
  LimitedMachine(Rank ranks, std::uint64_t seed, std::vector<std::uint64_t> lane_seeds,
                 const std::vector<Bytes>& limits);

  /// Sets the size from which messages set off when their receive is posted.
  void depart_late(Bytes from) { departs_at_once_below = from; }
};

/// Returns a size from which messages depart late, or none.
Bytes some_late_departures(std::uint64_t seed);

/// Returns eager limits for these lanes: a few sizes, or none.
std::vector<Bytes> some_eager_limits(std::uint64_t seed, std::size_t lanes);

/// Returns true when they are the same to the last bit.
bool same_bits(const RankTimes& left, const RankTimes& right);
bool same_bits(const Sensitivity& left, const Sensitivity& right);
bool same_bits(const AttributedTimes& left, const AttributedTimes& right);
/// Returns true when they are the same to the last bit, names aside.
bool same_bits(const LaneResult& left, const LaneResult& right);

/// Returns when each rank ends.
std::vector<double> ends(const LaneResult& lane);

} // namespace timeless::replay::test
