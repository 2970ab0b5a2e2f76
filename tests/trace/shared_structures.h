#pragma once

#include "trace/archive/reader.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace timeless::trace::test {

/// Returns the structures of a rank's whole run, from the segments that an archive holds of it, up to its action
/// `end`. Throws Error(invalid_input) when the archive is damaged.
std::vector<std::string> whole_structures(const ArchiveReader& archive, Rank rank, const RankNumbers& numbers,
                                          std::uint64_t end);

/// Rewrites an archive with structures that ranks share, as gathering does. Returns how many there are.
std::size_t share_structures(const ArchiveReader& archive, const std::filesystem::path& path);

} // namespace timeless::trace::test
