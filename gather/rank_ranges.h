#pragma once

#include "trace/ids.h"

#include <span>
#include <string>

namespace timeless::gather {

/// Rising ranks in few words: {3, 7, 8, 9, 12} is "3, 7-9, 12". Beyond `most` stretches, the rest is counted:
/// "3, 7-9 and 41 more".
std::string rank_ranges(std::span<const trace::Rank> ranks, std::size_t most = 12);

} // namespace timeless::gather
