#pragma once

#include "replay/collectives/collectives.h"

#include <cstdint>

/// Which algorithm MPICH takes, by the sizes at which it changes (the MPIR_CVAR_*_MSG_SIZE defaults).
namespace timeless::replay::switches {

/// A tree; where not, a scatter and an allgather.
bool broadcast_by_tree(const CollectiveShape& shape);
/// The allgather by recursive doubling; where not, by a ring.
bool broadcast_by_doubling(const CollectiveShape& shape);

/// A tree (Reduce), recursive doubling (Allreduce); where not, Rabenseifner's algorithm.
bool reduce_whole(const CollectiveShape& shape);

enum class Allgather : std::uint8_t { doubling, bruck, ring };
Allgather allgather(const CollectiveShape& shape);

/// Bruck's algorithm; where not, each with each.
bool alltoall_by_bruck(const CollectiveShape& shape);
/// Each with each in pairs, not all at once.
bool alltoall_in_pairs(const CollectiveShape& shape);

enum class ReduceScatter : std::uint8_t { halving, pairwise, doubling };
ReduceScatter reduce_scatter(const CollectiveShape& shape);

/// Between groups: a gather or scatter within the group away from the root, and one message; where not, one message to
/// or from each.
bool gather_between_groups_locally(const CollectiveShape& shape);

} // namespace timeless::replay::switches
