#pragma once

#include "trace/model/run.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Where the ranks of a run are, and which of them are in the same position.
namespace timeless::analysis {

inline constexpr std::size_t most_grid_sides = 3;

/// A place in a grid; sides that the grid does not have are 0.
using GridPlace = std::array<int, most_grid_sides>;

/// The grid of all ranks of a run, of one to three sides, the last of which varies fastest.
struct RankGrid {
  std::vector<trace::GridDimension> sides = {};

  trace::Rank ranks() const;
  GridPlace place(trace::Rank rank) const;
  /// Returns the rank at a place, or nothing where that is outside the grid and the side is not periodic.
  std::optional<trace::Rank> rank_at(GridPlace place) const;
  /// Returns the ranks that differ from this one in the sides of the mask only (bit 0: the first side), rising.
  std::vector<trace::Rank> line(trace::Rank rank, unsigned mask) const;
  /// Returns "6 x 4", a periodic side as "6 (periodic)".
  std::string text() const;
};

/// How grids are made of numbers of ranks.
struct GridRule {
  std::size_t dimensions = 1;
  bool longest_first = true; ///< as MPI_Dims_create has it
  bool periodic = false;

  RankGrid grid(trace::Rank ranks) const;
  std::string text() const;
};

/// Returns the rules that can be told apart, those that make the fewest kinds of ranks first.
std::vector<GridRule> grid_rules();

/// Returns the grid of so many ranks by the rule that makes all of these grids, with sides periodic as theirs; nothing
/// where no rule does.
std::optional<RankGrid> grid_like(const std::vector<RankGrid>& grids, trace::Rank ranks);

/// Returns the extents of all grids of so many ranks and sides, each side of two ranks or more, those with the shortest
/// sides in sum first.
std::vector<std::vector<std::uint32_t>> extents_of(trace::Rank ranks, std::size_t sides);

/// Returns the grid of a Cartesian communicator of all ranks, in the order of MPI_COMM_WORLD; nothing where the
/// recording has none, or several that differ.
std::optional<RankGrid> recorded_grid(const trace::Run& run);

/// Returns how many sides the recorded grids of several runs have, 2 or 3, where each run has one that is as even as
/// MPI_Dims_create makes it; else 0.
int balanced_dimensions(const std::vector<std::optional<RankGrid>>& recorded);

/// Returns what a rank's position is called: for each side "first", "inside", "last", or "only" on a side of one rank;
/// on periodic sides "any". Rank 0 of a grid with a periodic side is a position of its own.
std::string position(const RankGrid& grid, trace::Rank rank);

} // namespace timeless::analysis
