#pragma once

#include "gather/tree/division.h"

#include <cstdint>
#include <filesystem>
#include <optional>

/// Rank files that are no longer needed, because a gathered archive holds all that they do.
namespace timeless::gather {

/// Removes a rank file and its journal, if the file is still the one that was seen; false when it is another, or gone
/// already. Throws Error(runtime) when the system refuses.
bool remove_rank_file(const std::filesystem::path& path, const SeenFile& seen);

/// Removes a directory if nothing is left in it.
void remove_if_empty(const std::filesystem::path& directory) noexcept;

/// Returns a checksum over the headers of a rank file's blocks. Headers hold the checksums of what is in their blocks,
/// so files with the same headers are the same. Nothing when the file is gone, or no archive.
std::optional<std::uint64_t> headers_checksum(const std::filesystem::path& path);

} // namespace timeless::gather
