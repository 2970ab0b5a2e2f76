#pragma once

#include "trace/loops/loops.h"

#include <cstdint>
#include <vector>

namespace timeless::trace {

/// Returns those iterations of a loop, rising, in which some action has another volume than in the iteration before.
/// Iteration 0 is not among them. The loop is one that loops() gave for the source and rank, or a part of it,
/// some of its iterations taken as one.
std::vector<std::uint64_t> changes(const Source& source, Rank rank, const Loop& loop);

/// Returns after how many iterations of such a loop, at most so many, volumes come again, as far as its beginning
/// tells: in three of four iterations or more; 0 where they do not.
std::uint64_t volume_period(const Source& source, Rank rank, const Loop& loop, std::uint64_t most);

} // namespace timeless::trace
