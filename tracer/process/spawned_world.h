#pragma once

#include <filesystem>

namespace timeless::tracer {

/// Returns where the processes of this MPI_COMM_WORLD record when the environment says `directory`: there, or, when
/// they have been spawned by other MPI processes, which record there, in DIRECTORY/spawned-N. N counts the spawned
/// worlds from 1. Collective over MPI_COMM_WORLD; all members get the same answer. Never throws: a directory that
/// cannot be made is found when the files are created.
std::filesystem::path directory_of_world(const std::filesystem::path& directory) noexcept;

} // namespace timeless::tracer
