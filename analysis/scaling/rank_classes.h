#pragma once

#include "analysis/scaling/rank_grid.h"
#include "analysis/scaling/run_figures.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Which ranks of runs are in the same position, and so should do the same.
namespace timeless::analysis {

/// The positions that a run's ranks have, each once, and which of these each rank has.
struct RankPositions {
  std::vector<std::string> names = {}; ///< as position() has them
  std::vector<std::uint32_t> of_rank = {};
};

/// The ranks of some runs by their position in a grid.
struct RankClasses {
  std::string assumption = {}; ///< how grids are made of numbers of ranks: "the recorded grid", "a ring of ranks"
  double explained = 0;        ///< of what ranks differ by in their work, the part that positions differ by
  std::vector<RankPositions> runs = {};
  std::vector<RankGrid> grids = {};  ///< of the runs
  std::optional<GridRule> rule = {}; ///< that they are made by; nothing for recorded ones

  /// Returns the mean over the ranks of a run in a position; nothing where it has none there.
  std::optional<double> mean(std::size_t run, const std::string& position, std::span<const double> by_rank) const;
  /// Returns the grid of another number of ranks; nothing where recorded grids follow no rule.
  std::optional<RankGrid> grid_of(trace::Rank ranks) const;
};

/// Returns the ranks by their positions in all grids that are tried: the recorded ones, where all runs have one, then
/// those that follow a rule.
std::vector<RankClasses> possible_rank_classes(std::span<const RunFigures* const> runs);

/// Finds the grids whose positions explain most of what ranks differ by: of the recorded grids, where all runs have
/// one, and those that follow a rule, one with more sides only where that explains 2 % more of it. Nothing where ranks
/// do not differ, or no grid explains half.
std::optional<RankClasses> rank_classes(std::span<const RunFigures* const> runs);

} // namespace timeless::analysis
