#include "analysis/scaling/cell_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

namespace timeless::analysis {

namespace {

/// The most points along a side of a cube that are tried.
constexpr std::uint64_t most_cell_points = 1024;
/// How many points a cell at the boundary may do without, at most.
constexpr std::uint64_t most_boundary = 1;
/// How many pairs of coordinates that tell a figure equally well are tried.
constexpr std::size_t most_pairs = 6;
/// The law of what a cell's volume, its faces and its edges take: all products of three shares.
constexpr unsigned whole_cell = 255;

/// Where a coordinate is: at the first plane, the last, or between.
int plane(int at, int side) {
  return at == 0 ? 0 : at == side - 1 ? 1 : 2;
}

int steps_of(const CellCoordinate& one) {
  return 4 * (std::abs(one.row) + std::abs(one.column) + std::abs(one.trip)) + std::abs(one.fixed);
}

/// A group's values: how many, and between what.
struct ValueRange {
  double least = 0;
  double most = 0;
  bool begun = false;
  void add(double value) {
    least = begun ? std::min(least, value) : value;
    most = begun ? std::max(most, value) : value;
    begun = true;
  }
};

} // namespace

std::int64_t CellTag::at(const RankGrid& square, trace::Rank rank, std::uint64_t trip) const {
  const std::int64_t u = fast.at(square, rank, trip);
  return fixed + u + (slow ? std::int64_t{square.sides.front().extent} * slow->at(square, rank, trip) : 0);
}

std::string CellTag::text() const {
  return fmt::format("{} + {}{}", fixed, fast.text(), slow ? " + p " + slow->text() : "");
}

CellSearch::CellSearch(const std::vector<RankGrid>& grids, const RankGrid& target) : grids_(grids) {
  for (const RankGrid& grid : grids)
    if (const auto side = square_side(grid)) sides_.push_back(*side);
  if (const auto side = square_side(target)) sides_.push_back(*side);
  if (sides_.size() != grids.size() + 1) sides_.clear();
}

std::vector<std::uint64_t> CellSearch::possible_points() const {
  std::uint64_t each = 1;
  for (const int side : sides_)
    each = std::lcm(each, static_cast<std::uint64_t>(side));
  std::vector<std::uint64_t> all;
  for (std::uint64_t points = each; points <= most_cell_points; points += each)
    all.push_back(points);
  return all;
}

/// Returns the pairs of coordinates whose planes tell the figure best, if they tell more than the run.
std::vector<CellSearch::Pair> CellSearch::telling_pairs(const std::vector<Observation>& figure) const {
  const std::vector<CellCoordinate> all = cell_coordinates(false);
  std::vector<std::vector<int>> planes(all.size(), std::vector<int>(figure.size()));
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = 0; k < figure.size(); ++k) {
      const Observation& one = figure[k];
      planes[i][k] = plane(all[i].at(grids_[one.run], one.rank, one.trip), sides_[one.run]);
    }
  // Coordinates that are the same in all observations are one.
  std::vector<std::size_t> different;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (std::ranges::none_of(different, [&](std::size_t other) { return planes[other] == planes[i]; }))
      different.push_back(i);
  std::vector<ValueRange> by_run(grids_.size());
  for (const Observation& one : figure)
    by_run[one.run].add(static_cast<double>(one.value));
  double least = 0;
  for (const ValueRange& range : by_run)
    least = std::max(least, range.most - range.least);
  if (least == 0) return {};
  std::vector<std::tuple<double, int, Pair>> found;
  std::vector<ValueRange> groups(grids_.size() * 9);
  for (std::size_t i = 0; i < different.size(); ++i)
    for (std::size_t j = i; j < different.size(); ++j) {
      std::ranges::fill(groups, ValueRange{});
      double spread = 0;
      const auto& first = planes[different[i]];
      const auto& second = planes[different[j]];
      for (std::size_t k = 0; k < figure.size() && spread <= least; ++k) {
        ValueRange& group = groups[figure[k].run * 9 + static_cast<std::size_t>(3 * first[k] + second[k])];
        group.add(static_cast<double>(figure[k].value));
        spread = std::max(spread, group.most - group.least);
      }
      if (spread > least) continue;
      least = std::max(spread, 0.0);
      const CellCoordinate& one = all[different[i]];
      const CellCoordinate& other = all[different[j]];
      found.emplace_back(spread, steps_of(one) + (i == j ? 0 : steps_of(other)), Pair{one, other});
    }
  std::erase_if(found, [&](const auto& one) { return std::get<0>(one) > least; });
  std::ranges::stable_sort(found, {}, [](const auto& one) { return std::get<1>(one); });
  std::vector<Pair> pairs;
  for (const auto& one : found)
    if (pairs.size() < most_pairs) pairs.push_back(std::get<2>(one));
  return pairs;
}

void CellSearch::learn(const std::vector<Observation>& figure) {
  const std::vector<unsigned> simple{1U << 3U, 1U << 7U, 1U << 1U, 1U << 5U}; // s1 s2, s1 s2 s3, s1, s1 s3
  std::set<std::uint64_t> found;
  for (const Pair& pair : telling_pairs(figure))
    for (const std::uint64_t points : possible_points()) {
      const ShareLaw form{.cells = CellShares{.coordinates = pair, .points = points, .boundary = 1}};
      ShareLaws laws;
      fit_shares(laws, form, share_rows(figure, grids_, form), simple);
      if (laws.exact) found.insert(points);
    }
  if (found.empty())
    for (const ShareLaw& law : laws_with_points_around(figure).laws)
      if (law.parts.front().coefficient > 0) found.insert(law.cells->points);
  keep(found);
}

/// Keeps the numbers that explain most figures: one that differs by few ranks may be explained by several.
void CellSearch::keep(const std::set<std::uint64_t>& found) {
  for (const std::uint64_t points : found)
    ++explained_[points];
  if (explained_.empty()) return;
  const std::size_t most = std::ranges::max_element(explained_, {}, [](const auto& one) { return one.second; })->second;
  points_.clear();
  for (const auto& [points, figures] : explained_)
    if (figures == most) points_.insert(points);
}

ShareLaws CellSearch::laws_with_points_around(const std::vector<Observation>& figure) const {
  ShareLaws exact;
  for (const std::uint64_t points : possible_points()) {
    const ShareLaw form{.cells = CellShares{.points = points, .around = 1}};
    const ShareRows rows = share_rows(figure, grids_, form);
    ShareLaws laws;
    if (rows.different > 2) fit_shares(laws, form, rows, {1U << 3U});
    if (!laws.exact) continue;
    exact.exact = true;
    exact.residual = 0;
    exact.laws.push_back(laws.laws.front());
  }
  return exact;
}

void CellSearch::learn_roughly(const std::vector<Observation>& volumes) {
  if (!explained_.empty()) return;
  ShareLaws best;
  for (const Pair& pair : telling_pairs(volumes))
    for (const std::uint64_t points : possible_points()) {
      const ShareLaw form{.cells = CellShares{.coordinates = pair, .points = points, .boundary = 1}};
      fit_shares(best, form, share_rows(volumes, grids_, form), {whole_cell});
    }
  if (!best.laws.empty()) points_ = {best.laws.front().cells->points};
}

ShareLaws CellSearch::laws(const std::vector<Observation>& figure) const {
  ShareLaws best;
  if (points_.empty()) return best;
  const std::vector<unsigned> subsets = share_subsets(3);
  for (const Pair& pair : telling_pairs(figure))
    for (const std::uint64_t points : points_)
      for (std::uint64_t boundary = 0; boundary <= most_boundary; ++boundary) {
        const ShareLaw form{.cells = CellShares{.coordinates = pair, .points = points, .boundary = boundary}};
        fit_shares(best, form, share_rows(figure, grids_, form), subsets);
      }
  fit_to_all(best, figure, grids_);
  return best;
}

std::vector<CellTag> CellSearch::tags(const std::vector<Observation>& figure) const {
  std::vector<CellTag> found;
  const std::vector<CellCoordinate> all = cell_coordinates(true);
  const Observation& first = figure.front();
  for (const CellCoordinate& fast : all)
    for (std::size_t i = 0; i <= all.size(); ++i) {
      CellTag law{.fast = fast};
      if (i < all.size()) law.slow = all[i];
      law.fixed = static_cast<std::int64_t>(first.value) - law.at(grids_[first.run], first.rank, first.trip);
      if (std::ranges::all_of(figure, [&](const Observation& one) {
            return law.at(grids_[one.run], one.rank, one.trip) == static_cast<std::int64_t>(one.value);
          }))
        found.push_back(law);
    }
  return found;
}

} // namespace timeless::analysis
