#pragma once

#include "gather/tree/division.h"
#include "gather/tree/team.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace timeless::gather {

/// Removes what was gathered; collective. Every member removes the rank files it has gathered (indices into what it
/// sees), then copies it sees of files that others have gathered, if their blocks are the same, then the directory if
/// it is empty. Only rank files that are still what they were when they were seen. Returns, on member 0, how many files
/// were removed. Throws Error(runtime) when the system refuses.
std::uint64_t remove_sources(const Team& team, const std::filesystem::path& directory,
                             const std::vector<SeenFile>& seen, const std::vector<std::size_t>& gathered);

} // namespace timeless::gather
