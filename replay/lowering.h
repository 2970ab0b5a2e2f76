#pragma once

#include "trace/formats/common/lowering.h"
#include "trace/model/run.h"

namespace timeless::replay {

/// Returns the messages of a run's collectives, and of the making of its communicators, by MPICH's algorithms, as
/// `--collectives schedule` replays them; for formats that have no collectives of their own. What is asked of it must
/// be of this run, which must live as long. It knows nothing of windows, of files, and of processes of other worlds.
/// Throws Error(invalid_input) for communicators that make no sense.
trace::formats::Lowering lowering(const trace::Run& run);

} // namespace timeless::replay
