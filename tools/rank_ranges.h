#pragma once

#include "trace/ids.h"

#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

/// "0-3,8" of a run of so many ranks: first and last of each range. Throws Error(usage), naming the option, for what
/// is no such list, and for ranks that the run does not have.
std::vector<std::pair<trace::Rank, trace::Rank>> read_rank_ranges(const std::string& text, trace::Rank ranks,
                                                                  const std::string& option);

} // namespace timeless::tools
