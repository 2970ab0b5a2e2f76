#pragma once

#include "trace/model/run.h"

#include <filesystem>
#include <string_view>

namespace timeless::trace::formats {

/// Returns what is said of a run by a text that names its ranks, and not the machine or the program: each rank on a
/// host of its own, MPI_COMM_WORLD, and one kernel with two ends for all computation. `counter` is the format's name
/// for what it counts, `source` what the library's name says it was read from.
Run undescribed_run(Rank size, const std::filesystem::path& path, std::string_view counter, VolumeUnit unit,
                    std::string_view source);

} // namespace timeless::trace::formats
