#pragma once

#include "analysis/scaling/cell_shares.h"
#include "analysis/scaling/observations.h"

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// Laws of what ranks have a share of.
namespace timeless::analysis {

/// How many points are shared out along each side of the grid; 0: nobody knows, all that is known is that ranks have
/// equal shares.
using SharedPoints = std::array<std::uint64_t, most_grid_sides>;

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
  std::optional<CellShares> cells = {}; ///< whose shares they are, instead of the rank's
  std::vector<Part> parts = {};

  double at(const Shares& of) const;
  /// Returns the shares of a rank, in a trip of the loop around.
  Shares shares_of(const RankGrid& grid, trace::Rank rank, std::uint64_t trip) const;
  /// Returns it in words, such as "40 s2 (s2: share of 12 points along side 2)".
  std::string text() const;
};

/// What the shares of a figure say.
struct ShareLaws {
  bool exact = false; ///< they meet all observations, those of the largest run not among what they are from
  std::vector<ShareLaw> laws = {}; ///< that do so equally well, the simplest; if none is exact, the best
  /// If none is exact, further ones with what they miss, relative, and the best of each number of parts.
  std::vector<std::pair<double, ShareLaw>> others = {};
  std::map<std::size_t, std::pair<double, ShareLaw>> best_of_parts = {};
  double residual = std::numeric_limits<double>::infinity(); ///< of the first: its largest miss, relative; 0 if exact
};

/// Equal observations on equal shares, once.
struct ShareRow {
  Shares shares = {};
  double value = 0;
  auto operator<=>(const ShareRow&) const = default;
};

/// What is observed of a figure.
struct ShareRows {
  std::vector<ShareRow> from = {};  ///< in all runs but the largest
  std::vector<ShareRow> check = {}; ///< in the largest
  std::size_t different = 0;        ///< shares in both
};

/// Returns a figure's observations, with the shares that a law's form has.
ShareRows share_rows(const std::vector<Observation>& figure, const std::vector<RankGrid>& grids, const ShareLaw& form);

/// Fits laws of a form, whose parts are those of a subset (bit m: the mask m), and keeps the best in `best`. Subsets
/// are by rising number of parts, that of all parts among them. Of laws that are exact those with the fewest parts are
/// kept, and of these the ones whose parts go with a rank's share of all rather than with that along some sides.
void fit_shares(ShareLaws& best, const ShareLaw& form, const ShareRows& rows, const std::vector<unsigned>& subsets);

/// A law that misses the runs by less than this many times what the best does may be the right one: of many that are
/// tried, one misses by little by chance.
inline constexpr double about_as_good = 4;

/// Fits the coefficients of a law that is not exact again, to all runs; what it missed the largest by stays its
/// residual.
void fit_to_all(ShareLaws& best, const std::vector<Observation>& figure, const std::vector<RankGrid>& grids);

/// Returns the subsets that are tried with so many shares: up to four parts, and all of them.
std::vector<unsigned> share_subsets(std::size_t shares);

/// A figure's observations by the grids they are on.
class ShareSearch {
public:
  explicit ShareSearch(std::vector<RankGrid> grids) : grids_(std::move(grids)) {}

  const RankGrid& grid(std::size_t run) const { return grids_[run]; }
  /// Returns the numbers of points, shared out along a side, that explain a figure by themselves.
  std::set<std::uint64_t> points(const std::vector<Observation>& figure, std::size_t side) const;
  /// Returns the laws of a figure, with each side's points one of those given.
  ShareLaws laws(const std::vector<Observation>& figure, const std::vector<SharedPoints>& candidates) const;

private:
  std::vector<RankGrid> grids_; ///< by run
};

} // namespace timeless::analysis
