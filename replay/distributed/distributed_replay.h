#pragma once

#include "replay/distributed/mpi_bus.h"
#include "replay/distributed/participant.h"
#include "replay/replay.h"

#include <mpi.h>

#include <optional>

namespace timeless::replay {

/// replay(), shared by the processes of a communicator: collective, with the same source, network and options on all.
/// The result has the same bits as in one process; process 0 has it, the others nothing.
///
/// Throws on process 0 what replay() throws; and Error(missing_capability) on all for options that need one process.
std::optional<Result> distributed_replay(MPI_Comm processes, const trace::Source& source, Network& network,
                                         const ReplayOptions& options, const Cooperation& cooperation = {},
                                         MpiBus::Traffic* traffic = nullptr);

} // namespace timeless::replay
