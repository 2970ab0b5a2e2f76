#pragma once

#include "replay/collectives/collectives.h"

#include <cstdint>

/// Which algorithm MPICH takes, by the sizes at which it changes (the MPIR_CVAR_*_MSG_SIZE defaults); or the one that
/// the shape names, where the call can follow it.
namespace timeless::replay::switches {

/// Returns true for a broadcast by a tree, false for a scatter and an allgather.
bool broadcast_by_tree(const CollectiveShape& shape);
/// Returns true where that allgather is done by recursive doubling, false for a ring.
bool broadcast_by_doubling(const CollectiveShape& shape);

/// Returns true for a tree (Reduce) or recursive doubling (Allreduce), false for Rabenseifner's algorithm.
bool reduce_whole(const CollectiveShape& shape);

/// MPICH's algorithms of MPI_Allgather.
enum class Allgather : std::uint8_t { doubling, bruck, ring };
Allgather allgather(const CollectiveShape& shape);

/// Returns true for Bruck's algorithm, false where each sends to each.
bool alltoall_by_bruck(const CollectiveShape& shape);
/// Returns true where each sends to each in pairs, false where all at once.
bool alltoall_in_pairs(const CollectiveShape& shape);

/// MPICH's algorithms of MPI_Reduce_scatter.
enum class ReduceScatter : std::uint8_t { halving, pairwise, doubling };
ReduceScatter reduce_scatter(const CollectiveShape& shape);

/// Returns true, between groups, for a gather or scatter within the group away from the root, and one message; false
/// for one message to or from each.
bool gather_between_groups_locally(const CollectiveShape& shape);

} // namespace timeless::replay::switches
