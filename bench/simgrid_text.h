#pragma once

#include "replay/simgrid/mapping.h"
#include "trace/model/source.h"

#include <filesystem>

namespace timeless::bench {

/// Returns the CPU seconds that SimGrid's own replay of text takes, smpirun's start included.
///
/// Writes the run as SimGrid's time-independent text, one file a rank, into a directory of its own beside the
/// temporary files. Only what the generated programs do can be written: computations, sends and receives on
/// MPI_COMM_WORLD, waits for all requests, allreduces. Throws Error where the run does more, or smpirun fails.
double simgrid_text_seconds(const trace::Source& source, const std::filesystem::path& platform,
                            const replay::Mapping& mapping);

} // namespace timeless::bench
