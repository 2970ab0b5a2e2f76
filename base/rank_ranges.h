#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace timeless {

/// Writes rising ranks in few words: {3, 7, 8, 9, 12} is "3, 7-9, 12". Counts the rest beyond `most` ranges: "3, 7-9
/// and 41 more".
std::string rank_ranges(std::span<const std::int32_t> ranks, std::size_t most = 12);

/// Reads ranges such as "0-3,8" of a run of so many ranks: first and last of each range. Throws Error(usage), naming
/// the option, for what is no such list, and for ranks that the run does not have.
std::vector<std::pair<std::int32_t, std::int32_t>> read_rank_ranges(const std::string& text, std::int32_t ranks,
                                                                    const std::string& option);

} // namespace timeless
