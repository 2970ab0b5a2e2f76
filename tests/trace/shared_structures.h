#pragma once

#include "trace/archive/reader.h"

#include <cstddef>
#include <filesystem>

namespace timeless::trace::test {

/// Rewrites an archive with structures that ranks share, as gathering does. Returns how many there are.
std::size_t share_structures(const ArchiveReader& archive, const std::filesystem::path& path);

} // namespace timeless::trace::test
