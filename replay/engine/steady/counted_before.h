#pragma once

#include "replay/engine/clocks/exact_sum.h"
#include "replay/engine/core/core.h"

#include <cstdint>
#include <vector>

namespace timeless::replay {

/// What was counted before the last cut, from where on times count from the latest clock, lane by lane, and counters
/// from 0.
class CountedBefore {
public:
  /// What was counted, without any rounding.
  struct Sums {
    std::vector<ExactSeconds> times;     ///< of the cuts: by value of a snapshot
    std::vector<ExactSeconds> counters;  ///< by rank, counter and lane
    std::vector<ExactSeconds> overheads; ///< by rank
    std::vector<ExactSeconds> behind;    ///< by rank: of IncastWatch
    std::vector<ExactAmount> amounts;    ///< by rank: volume, bytes copied, bytes reduced
    // By part of an Attributor, of which there may be more by the next cut:
    std::vector<ExactSeconds> part_counters; ///< and counter and lane
    std::vector<ExactSeconds> part_overheads;
    std::vector<ExactAmount> part_amounts; ///< volume, bytes copied, bytes reduced, actions
  };

  explicit CountedBefore(Core& core) : core_(core) {}

  /// Returns true after the first cut, until restore().
  bool any() const { return any_; }
  const Sums& sums() const { return sums_; }
  /// Returns what was counted since these were the sums. Call it, and add(), at a cut.
  Sums since(const Sums& before) const;
  /// Adds what was counted, so many times more.
  void add(const Sums& counted, std::uint64_t times);

  /// Makes all times count from these on, the latest, and all counters from 0. Returns false where some could not be
  /// added to the sums.
  bool count_from(const std::vector<double>& latest);
  /// Brings clocks and counters back to what they are from the beginning on.
  void restore();

private:
  void make_room();
  bool count_clock(std::uint32_t number);
  bool count_parts();
  void restore_clock(std::uint32_t number);
  void restore_parts();
  std::size_t counters_per_rank() const { return core_.clocks.model.counters_per_rank() * core_.clocks.model.lanes(); }

  Core& core_;
  Sums sums_;
  std::vector<double> offsets_;   ///< scratch: of a cut, by value of a snapshot
  std::vector<double> roundings_; ///< likewise
  bool any_ = false;
};

} // namespace timeless::replay
