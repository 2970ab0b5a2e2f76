#pragma once

#include "replay/engine/clocks/rank_range.h"
#include "trace/model/run.h"

#include <cstdint>
#include <vector>

namespace timeless::replay {

/// Divides a run's ranks among processes: ranks that follow each other, with about equally many actions for each
/// process. Processes beyond the ranks get none. The run holds all of its ranks.
std::vector<RankRange> divide_ranks(const trace::Run& run, int processes);

/// Returns how many actions some ranks of a run have.
std::uint64_t actions_of(const trace::Run& run, const RankRange& ranks);

} // namespace timeless::replay
