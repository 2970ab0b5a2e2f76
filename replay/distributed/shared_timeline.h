#pragma once

#include "replay/result/result.h"
#include "replay/timeline/timeline.h"

#include <mpi.h>

#include <cstdint>

namespace timeless::replay {

/// Writes on process 0 what all processes' timelines have observed in distributed_replay(): collective. The bytes
/// written, on process 0. `result` is
/// process 0's; the others need none. Throws what Timeline::finish() does on process 0, and on another process, and on
/// process 0, when that one cannot read its events again; comes to an end in all of them.
std::uint64_t finish_timeline(MPI_Comm processes, timeline::Timeline& timeline, const Result& result);

} // namespace timeless::replay
