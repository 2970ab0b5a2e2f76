#pragma once

#include "trace/model/action.h"
#include "trace/model/run.h"

#include <cstdint>
#include <vector>

/// Ranks in actions as differences from the rank that acts, so that ranks in equal roles have equal actions
/// (docs/archive-format.md, "Relative ranks").
namespace timeless::trace {

/// Where a rank stands in a communicator.
struct RankPosition {
  Rank rank = no_rank; ///< in the communicator; no_rank where nothing in it can be relative
  Rank size = 0;       ///< of the communicator
};

/// Returns the place of a rank of MPI_COMM_WORLD; none in intercommunicators, and where it is no member.
RankPosition own_place(const Communicator& communicator, Rank world_rank);

/// Replaces ranks in an action by their distance from the own one, and returns which (see RelativeRanks): those of
/// messages' partners and of targets, not roots. Rank 0 stays as it is but for rank 1: many programs give it work of
/// its own, so that all ranks name it alike. `list` lends memory to action.ranks.
std::uint8_t make_relative(Action& action, RankPosition own, std::vector<Rank>& list);

/// Undoes it. Throws Error(invalid_input) where that gives no rank of the communicator.
void make_absolute(Action& action, std::uint8_t relative, RankPosition own, std::vector<Rank>& list);

} // namespace timeless::trace
