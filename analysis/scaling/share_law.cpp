#include "analysis/scaling/share_law.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <ranges>
#include <utility>

namespace timeless::analysis {

namespace {

/// The most points along a side that are tried.
constexpr std::uint64_t most_shared_points = 2048;
/// How far a whole number may be off by rounding, relative.
constexpr double share_rounding = 1e-9;
/// What is left of a column that depends on others.
constexpr long double share_dependent = 1e-9L;

std::uint64_t points_of_rank(std::uint64_t points, std::uint64_t ranks, std::uint64_t place) {
  return points / ranks + (place < points % ranks ? 1 : 0);
}

double share_product(const Shares& of, unsigned mask) {
  double value = 1;
  for (std::size_t side = 0; side < of.size(); ++side)
    if ((mask >> side & 1U) != 0) value *= of[side];
  return value;
}

/// Solves for coefficients by orthogonal columns; nothing where the columns depend on each other.
std::optional<std::vector<long double>> share_coefficients(const std::vector<ShareRow>& rows,
                                                           const std::vector<unsigned>& masks) {
  using Column = std::vector<long double>;
  const auto dot = [](const Column& a, const Column& b) {
    long double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      sum += a[i] * b[i];
    return sum;
  };
  const std::size_t count = masks.size();
  std::vector<Column> q;
  std::vector<Column> r(count, Column(count));
  Column rest;
  for (const ShareRow& row : rows)
    rest.push_back(row.value);
  for (std::size_t j = 0; j < count; ++j) {
    Column column;
    for (const ShareRow& row : rows)
      column.push_back(share_product(row.shares, masks[j]));
    const long double length = std::sqrt(dot(column, column));
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t i = 0; i < j; ++i) {
        const long double along = dot(q[i], column);
        r[i][j] += along;
        for (std::size_t k = 0; k < column.size(); ++k)
          column[k] -= along * q[i][k];
      }
    r[j][j] = std::sqrt(dot(column, column));
    if (!(r[j][j] > share_dependent * length)) return std::nullopt;
    for (long double& value : column)
      value /= r[j][j];
    q.push_back(std::move(column));
  }
  std::vector<long double> result(count);
  for (std::size_t j = count; j-- > 0;) {
    result[j] = dot(q[j], rest);
    for (std::size_t k = j + 1; k < count; ++k)
      result[j] -= r[j][k] * result[k];
    result[j] /= r[j][j];
  }
  return result;
}

bool law_meets(const ShareLaw& law, const std::vector<ShareRow>& rows) {
  return std::ranges::all_of(rows, [&](const ShareRow& row) {
    return std::abs(law.at(row.shares) - row.value) <= std::max(1e-6, share_rounding * row.value);
  });
}

double worst_miss(const ShareLaw& law, const std::vector<ShareRow>& rows) {
  double most = 0;
  for (const ShareRow& row : rows)
    most = std::max(most, std::abs(law.at(row.shares) - row.value) / std::max(row.value, 1.0));
  return most;
}

/// Keeps a law that is not exact: as the best, or among the others if it is about as good.
void keep_better(ShareLaws& best, const ShareLaw& law, double off) {
  const auto [of_parts, fresh] = best.best_of_parts.try_emplace(law.parts.size(), off, law);
  if (!fresh && off < of_parts->second.first) of_parts->second = {off, law};
  if (off < best.residual) {
    if (!best.laws.empty()) best.others.emplace_back(best.residual, best.laws.front());
    best.laws = {law};
    best.residual = off;
  } else if (off <= about_as_good * best.residual) {
    best.others.emplace_back(off, law);
  }
}

/// The rows of each run.
using RunRows = std::vector<ShareRow>;
constexpr std::size_t no_run = ~std::size_t{0};

std::vector<RunRows> rows_by_run(const std::vector<Observation>& figure, const std::vector<RankGrid>& grids,
                                 const ShareLaw& form) {
  std::vector<std::set<ShareRow>> rows(grids.size());
  for (const Observation& one : figure)
    rows[one.run].insert({form.shares_of(grids[one.run], one.rank, one.trip), static_cast<double>(one.value)});
  std::vector<RunRows> all;
  for (const auto& of : rows)
    if (!of.empty()) all.emplace_back(of.begin(), of.end());
  return all;
}

/// Returns the rows of all runs but one.
std::vector<ShareRow> joined(const std::vector<RunRows>& runs, std::size_t but) {
  std::vector<ShareRow> all;
  for (std::size_t run = 0; run < runs.size(); ++run)
    if (run != but) all.insert(all.end(), runs[run].begin(), runs[run].end());
  return all;
}

/// Fits a law's coefficients to rows. Returns false, and changes nothing, where these do not tell them.
bool fit_again(ShareLaw& law, const std::vector<ShareRow>& rows) {
  if (law.parts.size() > rows.size()) return false;
  std::vector<unsigned> masks;
  for (const ShareLaw::Part& part : law.parts)
    masks.push_back(part.mask);
  const auto solved = share_coefficients(rows, masks);
  for (std::size_t part = 0; solved && part < law.parts.size(); ++part)
    law.parts[part].coefficient = static_cast<double>((*solved)[part]);
  return solved.has_value();
}

/// Returns by how much a law from all runs but one misses that one, the worst of them.
double miss_of_runs_left_out(const ShareLaw& law, const std::vector<RunRows>& runs) {
  double most = 0;
  for (std::size_t out = 0; out < runs.size(); ++out)
    if (ShareLaw of_others = law; fit_again(of_others, joined(runs, out)))
      most = std::max(most, worst_miss(of_others, runs[out]));
  return most;
}

} // namespace

Shares shares(const RankGrid& grid, trace::Rank rank, const SharedPoints& points) {
  Shares of = {};
  const GridPlace place = grid.place(rank);
  for (std::size_t side = 0; side < grid.sides.size(); ++side)
    of[side] = points[side] == 0 ? 1.0 / grid.sides[side].extent
                                 : static_cast<double>(points_of_rank(points[side], grid.sides[side].extent,
                                                                      static_cast<std::uint64_t>(place[side])));
  return of;
}

double ShareLaw::at(const Shares& of) const {
  double value = 0;
  for (const Part& part : parts)
    value += part.coefficient * share_product(of, part.mask);
  return value;
}

Shares ShareLaw::shares_of(const RankGrid& grid, trace::Rank rank, std::uint64_t trip) const {
  return cells ? cells->of(grid, rank, trip) : shares(grid, rank, points);
}

std::string ShareLaw::text() const {
  std::string sum;
  unsigned used = 0;
  for (const Part& part : parts) {
    const bool less = part.coefficient < 0;
    sum += sum.empty() ? (less ? "-" : "") : (less ? " - " : " + ");
    sum += fmt::format("{:.10g}", std::abs(part.coefficient));
    for (std::size_t side = 0; side < points.size(); ++side)
      if ((part.mask >> side & 1U) != 0)
        sum += points[side] == 0 && !cells ? fmt::format("/p{}", side + 1) : fmt::format(" s{}", side + 1);
    used |= part.mask;
  }
  if (cells) return used == 0 ? sum : fmt::format("{} ({})", sum, cells->text());
  std::vector<std::string> of;
  for (std::size_t side = 0; side < points.size(); ++side)
    if ((used >> side & 1U) != 0)
      of.push_back(points[side] == 0
                       ? fmt::format("p{}: ranks along side {}", side + 1, side + 1)
                       : fmt::format("s{}: share of {} points along side {}", side + 1, points[side], side + 1));
  return of.empty() ? sum : fmt::format("{} ({})", sum, fmt::join(of, ", "));
}

std::set<std::uint64_t> ShareSearch::points(const std::vector<Observation>& figure, std::size_t side) const {
  struct ValueAt {
    std::uint64_t extent = 0;
    std::uint64_t place = 0;
    std::uint64_t value = 0;
    auto operator<=>(const ValueAt&) const = default;
  };
  std::set<ValueAt> seen;
  for (const Observation& one : figure) {
    const RankGrid& grid = grids_[one.run];
    if (side >= grid.sides.size()) return {};
    seen.insert({grid.sides[side].extent, static_cast<std::uint64_t>(grid.place(one.rank)[side]), one.value});
  }
  std::set<std::uint64_t> found;
  std::set<std::uint64_t> multiples; // of a rank's own points alone
  for (std::uint64_t points = 1; points <= most_shared_points; ++points) {
    std::map<std::uint64_t, std::uint64_t> value_of; // by share
    const bool function = std::ranges::all_of(seen, [&](const ValueAt& one) {
      return value_of.try_emplace(points_of_rank(points, one.extent, one.place), one.value).first->second == one.value;
    });
    if (!function || value_of.size() < 2 || value_of.begin()->first == 0) continue;
    // A point takes whole bytes, and there may be more or fewer points than the rank's own: those of the edges.
    const auto [share, value] = *value_of.begin();
    const auto [other_share, other_value] = *value_of.rbegin();
    if (other_value <= value || (other_value - value) % (other_share - share) != 0) continue;
    const auto each = static_cast<std::int64_t>((other_value - value) / (other_share - share));
    const std::int64_t fixed = static_cast<std::int64_t>(value) - each * static_cast<std::int64_t>(share);
    if (fixed != 0 && value_of.size() < 3) continue; // two points are on some line
    if (fixed < -2 * each) continue;
    if (std::ranges::all_of(value_of, [&](const auto& one) {
          return fixed + each * static_cast<std::int64_t>(one.first) == static_cast<std::int64_t>(one.second);
        }))
      (fixed == 0 ? multiples : found).insert(points);
  }
  // Where all sides divide 60 points, 59 and one more tell as well what ranks have that are last.
  return multiples.empty() ? found : multiples;
}

ShareRows share_rows(const std::vector<Observation>& figure, const std::vector<RankGrid>& grids, const ShareLaw& form) {
  const std::uint32_t largest = std::ranges::max_element(figure, {}, &Observation::run)->run;
  std::set<ShareRow> from;
  std::set<ShareRow> check;
  std::set<Shares> different;
  for (const Observation& one : figure) {
    const Shares of = form.shares_of(grids[one.run], one.rank, one.trip);
    (one.run == largest ? check : from).insert({of, static_cast<double>(one.value)});
    different.insert(of);
  }
  return {{from.begin(), from.end()}, {check.begin(), check.end()}, different.size()};
}

std::vector<unsigned> share_subsets(std::size_t shares) {
  const unsigned all = (1U << (1U << shares)) - 1; // of the masks
  std::vector<unsigned> subsets;
  for (unsigned subset = 1; subset <= all; ++subset)
    if (std::popcount(subset) <= 4 || subset == all) subsets.push_back(subset);
  std::ranges::stable_sort(subsets, {}, [](unsigned subset) { return std::popcount(subset); });
  return subsets;
}

namespace {

/// Returns how far a law is from what programs mostly do: 0 for what is the same everywhere, 1 for what goes with a
/// rank's share of all that is shared out (mask `all`), 2 for what goes with its share along some sides.
int share_complexity(const ShareLaw& law, unsigned all) {
  int sum = 0;
  for (const ShareLaw::Part& part : law.parts)
    sum += part.mask == 0 ? 0 : part.mask == all ? 1 : 2;
  return sum;
}

} // namespace

void fit_shares(ShareLaws& best, const ShareLaw& form, const ShareRows& rows, const std::vector<unsigned>& subsets) {
  for (const unsigned subset : subsets) {
    const auto parts = static_cast<std::size_t>(std::popcount(subset));
    if (parts > rows.from.size() || (best.exact && parts > best.laws.front().parts.size())) break;
    std::vector<unsigned> masks;
    for (unsigned mask = 0; subset >> mask != 0; ++mask)
      if ((subset >> mask & 1U) != 0) masks.push_back(mask);
    const auto solved = share_coefficients(rows.from, masks);
    if (!solved) continue;
    ShareLaw law = form;
    law.parts.clear();
    for (std::size_t part = 0; part < parts; ++part)
      law.parts.push_back({masks[part], static_cast<double>((*solved)[part])});
    const bool exact = rows.different > parts && law_meets(law, rows.from) && law_meets(law, rows.check);
    if (exact && (!best.exact || parts < best.laws.front().parts.size()))
      best = {.exact = true, .laws = {law}, .residual = 0};
    else if (exact)
      best.laws.push_back(law);
    else if (!best.exact)
      keep_better(best, law, std::max(worst_miss(law, rows.check), worst_miss(law, rows.from)));
  }
  if (!best.exact) return;
  const auto all = static_cast<unsigned>(std::bit_width(std::ranges::max(subsets)) - 1);
  const auto complexity = [&](const ShareLaw& law) { return share_complexity(law, all); };
  const int least = std::ranges::min(best.laws | std::views::transform(complexity));
  std::erase_if(best.laws, [&](const ShareLaw& law) { return complexity(law) > least; });
}

void fit_to_all(ShareLaws& best, const std::vector<Observation>& figure, const std::vector<RankGrid>& grids) {
  if (best.exact || best.laws.empty()) return;
  std::vector<std::pair<double, ShareLaw>> all = std::move(best.others);
  std::erase_if(all, [&](const auto& one) { return one.first > about_as_good * best.residual; });
  all.insert(all.begin(), {best.residual, best.laws.front()});
  for (auto& [off, law] : all) {
    const std::vector<RunRows> runs = rows_by_run(figure, grids, law);
    off = std::max(off, miss_of_runs_left_out(law, runs));
    fit_again(law, joined(runs, no_run));
  }
  std::ranges::stable_sort(all, {}, [](const auto& one) { return one.first; });
  best.residual = all.front().first;
  best.laws = {all.front().second};
  all.erase(all.begin());
  std::erase_if(all, [&](const auto& one) { return one.first > about_as_good * best.residual; });
  best.others = std::move(all);
  const ShareLaw& first = best.laws.front();
  const auto simpler = best.best_of_parts.find(first.parts.size() - 1);
  std::set<Shares> different;
  for (const ShareRow& row : joined(rows_by_run(figure, grids, first), no_run))
    different.insert(row.shares);
  if (simpler == best.best_of_parts.end() || different.size() > first.parts.size() + 1) return;
  best.others.push_back(simpler->second);
  ShareLaw& other = best.others.back().second;
  (void)fit_again(other, joined(rows_by_run(figure, grids, other), no_run));
}

ShareLaws ShareSearch::laws(const std::vector<Observation>& figure, const std::vector<SharedPoints>& candidates) const {
  ShareLaws best;
  if (figure.empty()) return best;
  const std::vector<unsigned> subsets = share_subsets(grids_[figure.front().run].sides.size());
  for (const SharedPoints& points : candidates) {
    const ShareLaw form{.points = points};
    fit_shares(best, form, share_rows(figure, grids_, form), subsets);
  }
  fit_to_all(best, figure, grids_);
  return best;
}

} // namespace timeless::analysis
