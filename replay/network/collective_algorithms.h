#pragma once

#include "replay/network/link_table.h"
#include "trace/model/action.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace timeless::replay {

/// Algorithms of collectives that have more than one to choose from (docs/model.md, "Step by step").
enum class CollectiveAlgorithm : std::uint8_t {
  of_the_library, ///< whichever the library takes
  binomial_tree,
  linear,
  scatter_and_doubling,
  scatter_and_ring,
  reduce_and_broadcast,
  recursive_doubling,
  recursive_halving,
  rabenseifner,
  bruck,
  ring,
  pairwise,
  dissemination,
};

/// Returns "binomial tree" and so on.
const char* name(CollectiveAlgorithm algorithm);

/// Which algorithm a collective was seen to follow.
struct MeasuredAlgorithm {
  trace::ActionKind collective = trace::ActionKind::barrier;
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::of_the_library;
  std::uint32_t members = 2; ///< that it was measured with
  // Bytes of a member's part, or of the buffer where all have the same:
  Bytes above = 0; ///< the smallest are larger than this; 0: all
  Bytes up_to = no_largest;
  static constexpr Bytes no_largest = ~Bytes{0};
  bool operator==(const MeasuredAlgorithm&) const = default;
};

/// Returns the algorithm of this name, of those that this collective may follow; nothing where there is none.
std::optional<CollectiveAlgorithm> algorithm_of(trace::ActionKind collective, const std::string& name);

/// Returns what was measured of a collective of so many members and bytes (as MeasuredAlgorithm counts them): of the
/// measured numbers of members the nearest by ratio, of two as near the smaller. Of what was not measured, that of the
/// library, as where so many members cannot follow it.
CollectiveAlgorithm measured_algorithm(std::span<const MeasuredAlgorithm> measured, trace::ActionKind collective,
                                       std::uint32_t members, double bytes);

/// Returns true where MeasuredAlgorithm counts the bytes of a member's part, all of which together are the
/// collective's.
bool counted_by_part(trace::ActionKind collective);

} // namespace timeless::replay
