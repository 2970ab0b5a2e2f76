#pragma once

#include "analysis/extrapolation/extrapolation.h"
#include "analysis/scaling/rank_grid.h"

#include <optional>
#include <string>
#include <vector>

namespace timeless::analysis {

/// One assumption on where ranks are: in the runs, and at the target.
struct GridAssumption {
  std::string text;
  std::vector<RankGrid> grids;
  std::optional<RankGrid> target; ///< nothing where no rule makes the runs' grids
  bool by_rule = true;            ///< the target's grid is made as those of the runs
  bool recorded = false;          ///< the recordings say so
};

/// Returns what may be assumed of a question's grids: what recordings say first, then rules, those that make the fewest
/// kinds of ranks first; only those that fit the grid asked for, where one is.
std::vector<GridAssumption> grid_assumptions(const ExtrapolationQuestion& question);

} // namespace timeless::analysis
