#pragma once

#include <cstdint>
#include <filesystem>

namespace timeless::analysis {

/// What an archive's bytes are for.
struct ArchiveParts {
  std::uint64_t structure = 0;   ///< which actions, in which order: as stored, over all segments and shared structures
  std::uint64_t volumes = 0;     ///< of the computations
  std::uint64_t times = 0;       ///< when actions were entered and left
  std::uint64_t definitions = 0; ///< communicators, kernels, hosts, totals
  std::uint64_t framing = 0;     ///< file header, headers of blocks, index, journals
};

/// Returns the parts of an archive, or of all rank files of a directory with their journals. Damaged blocks count as
/// framing.
ArchiveParts archive_parts(const std::filesystem::path& path);

} // namespace timeless::analysis
