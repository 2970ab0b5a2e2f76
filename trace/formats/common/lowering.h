#pragma once

#include "trace/model/action.h"
#include "trace/model/run.h"

#include <functional>

namespace timeless::trace::formats {

/// One step of a collective, as one of its members takes it: it sends, while it receives; either may be missing.
/// Ranks are those of MPI_COMM_WORLD. Of two members, what one sends is what the other receives in its own turn, in the
/// order of their steps. The steps of a neighbourhood collective do not wait for each other.
struct LoweredStep {
  Rank to = no_rank;
  Bytes bytes = 0;
  Rank from = no_rank;
  Bytes receive_bytes = 0;
};

/// Calls `step` for each step that the member `rank` (of MPI_COMM_WORLD) takes in a collective call, or in the making
/// of a communicator; false, and no call, when it does not know how the action goes. Implemented where the algorithms
/// are known: this folder only uses it.
using Lowering = std::function<bool(const Run& run, Rank rank, const Action& action,
                                    const std::function<void(const LoweredStep&)>& step)>;

} // namespace timeless::trace::formats
