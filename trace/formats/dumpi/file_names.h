#pragma once

#include "trace/model/ids.h"

#include <filesystem>

namespace timeless::trace::formats::dumpi {

/// Returns DIR/PREFIX of what a person has named: the prefix itself, or what the shell completed of it; one of the
/// files that begin with it; a directory that holds one trace. Throws Error(invalid_input) where it is none of these,
/// or several.
std::filesystem::path prefix_of(const std::filesystem::path& named);

/// Returns the file of a rank.
std::filesystem::path rank_path(const std::filesystem::path& prefix, Rank rank);

/// Returns how many ranks there were: the .meta says it; without it, those there are. Throws Error(invalid_input) where
/// most of their files are missing.
Rank ranks_of(const std::filesystem::path& prefix);

} // namespace timeless::trace::formats::dumpi
