#pragma once

#include "analysis/scaling/rank_grid.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Cells of a multi-partition: a cube of p x p x p cells on a square of p x p ranks, each of which has p cells, one in
/// each plane of the cube, and works on one in each trip of a loop (Bruno and Cappello, 1988; NPB's SP and BT).
namespace timeless::analysis {

/// What each side of a grid, or each coordinate of a cell, gives a rank.
using Shares = std::array<double, most_grid_sides>;

/// A coordinate of the cell that a rank works on: (row r + column c + trip t + fixed) mod p, with the rank at (r, c) of
/// the square.
struct CellCoordinate {
  int row = 0;
  int column = 0;
  int trip = 0;
  int fixed = 0;

  /// Returns the coordinate, from 0 to p - 1, on a rank of a square.
  int at(const RankGrid& square, trace::Rank rank, std::uint64_t trips) const;
  /// Returns it in words, such as "(r + c - t - 1) mod p".
  std::string text() const;
  bool operator==(const CellCoordinate&) const = default;
};

/// Returns how many ranks are along a side of a square; nothing for any other grid.
std::optional<int> square_side(const RankGrid& grid);

/// Returns coordinates that tell cells apart; without `mirrored`, one of each two that count the same planes from
/// opposite ends.
std::vector<CellCoordinate> cell_coordinates(bool mirrored);

/// How points of a cube, as many along each side, are shared out among its cells; the number of ranks along a side of
/// the square divides them.
struct CellShares {
  std::array<CellCoordinate, 2> coordinates = {};
  std::uint64_t points = 0;   ///< along a side of the cube
  std::uint64_t boundary = 0; ///< of these that a cell at the first or the last plane of the cube does without, each
  std::uint64_t around = 0;   ///< points beside a cell's own that are counted, too

  std::string text() const;
  /// Returns the points of a cell along both coordinates, less those of the boundary, and along a side that has none.
  Shares of(const RankGrid& square, trace::Rank rank, std::uint64_t trip) const;
  bool operator==(const CellShares&) const = default;
};

} // namespace timeless::analysis
