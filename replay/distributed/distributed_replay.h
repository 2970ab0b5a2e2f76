#pragma once

#include "replay/distributed/participant.h"
#include "replay/replay.h"

#include <mpi.h>

#include <optional>
#include <stdexcept>

namespace timeless::replay {

/// A process can neither go on nor tell the others why, as when it has no memory to receive. They would wait for it for
/// ever: the catcher has to end them.
class LostProcess : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Replays as replay() does, shared by the processes of a communicator: collective, with the same source, network and
/// options on all. The result has the same bits as in one process; process 0 has it, the others nothing.
///
/// Throws on process 0 what replay() throws, and LostProcess anywhere. What this process does for it is added to
/// `work`. An observer is told of the process's own ranks. Threads are not used.
std::optional<Result> distributed_replay(MPI_Comm processes, const trace::Source& source, const Network& network,
                                         const ReplayOptions& options, const Cooperation& cooperation = {},
                                         ProcessWork* work = nullptr);

} // namespace timeless::replay
