#pragma once

#include "trace/model/ids.h"

#include <optional>
#include <string>
#include <vector>

/// Which numbers of ranks a program takes, as far as its runs tell.
namespace timeless::analysis {

/// How a target is unlike all runs.
struct UnlikeRuns {
  std::string reason = {};  ///< "all runs have a square number of ranks, 50 is none"
  std::string nearest = {}; ///< the numbers before and after it that are as the runs, "49 or 64"
};

/// Returns how a target is unlike the runs: their numbers are all squares, all cubes or all powers of two, and it is
/// none of what they are. Nothing where they are nothing of this, or there are fewer than three different ones.
std::optional<UnlikeRuns> unlike_runs(std::vector<trace::Rank> runs, trace::Rank target);

} // namespace timeless::analysis
