#pragma once

#include "replay/distributed/participant.h"
#include "replay/replay.h"

#include <mpi.h>

#include <optional>

namespace timeless::replay {

/// replay(), shared by the processes of a communicator: collective, with the same source, network and options on all.
/// The result has the same bits as in one process; process 0 has it, the others nothing.
///
/// Throws on process 0 what replay() throws. What this process does for it is added to `work`. A process that cannot
/// even tell the others what went wrong, as when it has no memory to receive, aborts all of them. An observer is told
/// of the process's own ranks. Threads are not used.
std::optional<Result> distributed_replay(MPI_Comm processes, const trace::Source& source, Network& network,
                                         const ReplayOptions& options, const Cooperation& cooperation = {},
                                         ProcessWork* work = nullptr);

} // namespace timeless::replay
