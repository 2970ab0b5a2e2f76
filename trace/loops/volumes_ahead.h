#pragma once

#include "trace/loops/loops.h"
#include "trace/model/action_block.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace timeless::trace {

/// What tells the volumes of an iteration, in order, from others: a hash of them (XXH3, 128 bits).
struct VolumesDigest {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  /// Makes this tell both what it told and what the other does, in this order.
  void add(const VolumesDigest& next);
  bool operator==(const VolumesDigest&) const = default;
};

/// Reads the volumes of a rank's iterations ahead of who plays them.
class VolumesAhead {
public:
  VolumesAhead(const Source& source, Rank rank) : stream_(source.open(rank)) {}

  /// Returns what tells the volumes of each iteration of a loop from those of others. The loop begins no earlier than
  /// the one before ended. Throws as RankStream::next() does.
  std::vector<VolumesDigest> of(const Loop& loop);

private:
  void go_to(std::uint64_t action);
  template <typename Visit>
  void pass(std::uint64_t actions, Visit&& visit);
  void read_block();

  std::unique_ptr<RankStream> stream_;
  ActionBlock block_;
  std::uint64_t next_ = 0;  ///< action
  std::size_t at_ = 0;      ///< of the block: the place of that action
  std::size_t volumes_ = 0; ///< of the block: volumes before it
  std::vector<std::uint64_t> of_iteration_;
};

} // namespace timeless::trace
