#pragma once

#include "analysis/scaling/share_law.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace timeless::analysis {

/// A number as a cell's coordinates u and v have it: fixed + u + p v, with p ranks along a side of the square.
struct CellTag {
  std::int64_t fixed = 0;
  CellCoordinate fast = {};
  std::optional<CellCoordinate> slow = {};

  std::int64_t at(const RankGrid& square, trace::Rank rank, std::uint64_t trip) const;
  std::string text() const;
};

/// Finds laws of the cells that ranks work on, where the ranks of all runs and of the target are squares.
class CellSearch {
public:
  CellSearch(const std::vector<RankGrid>& grids, const RankGrid& target);

  /// Returns whether ranks may have cells at all.
  bool possible() const { return !sides_.empty(); }
  /// Learns from a figure that is whole multiples of a point, bytes, how many points are along a side of the cube.
  void learn(const std::vector<Observation>& figure);
  /// Learns the same from volumes that follow no law exactly: the number that leaves the smallest error. Does nothing
  /// where bytes have told.
  void learn_roughly(const std::vector<Observation>& volumes);
  /// Returns the laws of a figure that differs by rank or trip; none where cells do not tell it better than the run.
  ShareLaws laws(const std::vector<Observation>& figure) const;
  /// Returns the laws of a figure that is the same on all ranks of a run: of squares of points with one around them.
  ShareLaws laws_with_points_around(const std::vector<Observation>& figure) const;
  /// Returns all laws of a tag that meet all observations.
  std::vector<CellTag> tags(const std::vector<Observation>& figure) const;

private:
  using Pair = std::array<CellCoordinate, 2>;

  std::vector<Pair> telling_pairs(const std::vector<Observation>& figure) const;
  std::vector<std::uint64_t> possible_points() const;
  void keep(const std::set<std::uint64_t>& found);

  const std::vector<RankGrid> grids_;
  std::vector<int> sides_; ///< of the squares, the target's last; empty where one is no square
  std::set<std::uint64_t> points_;
  std::map<std::uint64_t, std::size_t> explained_; ///< figures of bytes, by points
};

} // namespace timeless::analysis
