#pragma once

#include "trace/model/action.h"
#include "trace/model/run.h"

#include <span>

namespace timeless::trace {

/// What a rank gives into and gets from a collective, in bytes.
struct CollectiveBytes {
  Bytes given = 0;
  Bytes got = 0;
  bool operator==(const CollectiveBytes&) const = default;
};

/// Returns whether the member of this rank in MPI_COMM_WORLD is the root of a collective that has one.
bool is_root(const Action& action, const Communicator& communicator, Rank rank);

/// Returns the sum of the parts.
Bytes sum(std::span<const Bytes> parts);

/// Returns the listed sizes that go out. In place these are what comes in, and may be listed as that alone.
std::span<const Bytes> counts_given(const Action& action);

/// Returns what a member's arguments of a blocking or nonblocking collective add up to, as tracing tools count it: the
/// parts for and from all members, its own among them; at the root of a broadcast, scatter, reduction or gather the
/// whole, at others their part; in a neighbourhood collective those for and from neighbours that are somebody. Where
/// the neighbours are not known, equal parts count once. `rank` is the member's in MPI_COMM_WORLD. Nothing for what is
/// no collective.
CollectiveBytes collective_bytes(const Action& action, const Communicator& communicator, Rank rank);

/// Which of an action's plain sizes its call has, be they 0.
struct UsedSizes {
  bool bytes = false;
  bool receive_bytes = false;
};

/// Returns the sizes that the action uses, as the list of Action says of the kind; sizes that mean something at a root
/// only, at that one only. `rank` is the caller's in MPI_COMM_WORLD.
UsedSizes used_sizes(const Action& action, const Run& run, Rank rank);

} // namespace timeless::trace
