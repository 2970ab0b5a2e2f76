#pragma once

#include "trace/model/run.h"

namespace timeless::trace {

/// What a rank's notes say where its times cannot be compared with those of ranks on other hosts. Archives made of such
/// a run say it, too.
inline constexpr const char* own_clock_note =
    "its times count from its own MPI_Init: the hosts' clocks differ, and no call tells by how much";

/// Returns false where a rank's notes say so.
bool clocks_agree(const Run& run);

} // namespace timeless::trace
