#pragma once

#include "gather/tree/arity.h"
#include "gather/tree/team.h"

#include <filesystem>

namespace timeless::gather {

/// Measures, in some tenths of a second, how fast a few members can send to member 0 and how fast member 0 can write
/// into a new file (removed again); collective. The result is on member 0; elsewhere it is empty. Throws Error(runtime)
/// on all when that file cannot be written. There must be at least two members.
Speeds measure_speeds(const Team& team, const std::filesystem::path& file);

} // namespace timeless::gather
