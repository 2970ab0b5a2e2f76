#pragma once

#include "analysis/extrapolation/figures.h"
#include "analysis/scaling/rank_grid.h"

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// Laws of what ranks have a share of.
namespace timeless::analysis {

/// How many points are shared out along each side of the grid; 0: nobody knows, all that is known is that ranks have
/// equal shares.
using SharedPoints = std::array<std::uint64_t, most_grid_sides>;

/// What each side of the grid gives a rank.
using Shares = std::array<double, most_grid_sides>;

/// Returns the shares of a rank where a side's points are divided as evenly as they can be, the first ranks having one
/// more; of sides with unknown points the fraction 1/extent.
Shares shares(const RankGrid& grid, trace::Rank rank, const SharedPoints& points);

/// A sum of products of shares: coefficient times the product of those whose bit is set in the mask.
struct ShareLaw {
  struct Part {
    unsigned mask = 0;
    double coefficient = 0;
  };
  SharedPoints points = {};
  std::vector<Part> parts = {};

  double at(const Shares& of) const;
  /// Returns it in words, such as "40 s2 (s2: share of 12 points along side 2)".
  std::string text() const;
};

/// What the shares of a figure say.
struct ShareLaws {
  bool exact = false; ///< they meet all observations, those of the largest run not among what they are from
  std::vector<ShareLaw> laws = {}; ///< that do so equally well, with the fewest parts; one, if none is exact
  double residual = 0;             ///< of the first: the largest at the largest run, relative
};

/// A figure's observations by the grids they are on.
class ShareSearch {
public:
  explicit ShareSearch(std::vector<RankGrid> grids) : grids_(std::move(grids)) {}

  /// Returns the numbers of points, shared out along a side, that explain a figure by themselves.
  std::set<std::uint64_t> points(const std::vector<Observation>& figure, std::size_t side) const;
  /// Returns the laws of a figure, with each side's points one of those given.
  ShareLaws laws(const std::vector<Observation>& figure, const std::vector<SharedPoints>& candidates) const;

private:
  std::vector<RankGrid> grids_; ///< by run
};

} // namespace timeless::analysis
