#pragma once

#include "tools/cli/cli11_fwd.h"

#include <mpi.h>

#include <functional>

/// The commands of `timeless-mpi`, one file each: what must run under mpirun.
namespace timeless::tools {

/// Runs the command on all processes of MPI_COMM_WORLD; returns this process's exit code, throws Error on all that have
/// something to report. What process 0 throws or returns is what the user sees.
using MpiAction = std::function<int()>;

/// A command of timeless-mpi.
struct MpiCommand {
  const char* name;
  const char* summary;
  MpiAction (*add)(CLI::App& command);
};

MpiAction add_mpi_gather(CLI::App& command);
MpiAction add_mpi_ping(CLI::App& command);
MpiAction add_mpi_replay(CLI::App& command);

} // namespace timeless::tools
