#include "analysis/scaling/law.h"

#include "base/error.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

namespace timeless::analysis {

namespace {

std::vector<ScaleFactor> factors(const std::vector<std::pair<int, int>>& exponents, int most_logs) {
  std::vector<ScaleFactor> result;
  for (int logs = 0; logs <= most_logs; ++logs)
    for (const auto& [numerator, denominator] : exponents) {
      result.push_back({numerator, denominator, logs});
      if (numerator != 0) result.push_back({-numerator, denominator, logs});
    }
  return result;
}

/// Extra-P's, and their negatives.
std::vector<ScaleFactor> all_factors() {
  return factors({{0, 1}, {1, 4}, {1, 3}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {1, 1}, {5, 4},  {4, 3},
                  {3, 2}, {5, 3}, {7, 4}, {2, 1}, {9, 4}, {7, 3}, {5, 2}, {8, 3}, {11, 4}, {3, 1}},
                 2);
}

/// Those that two terms of ranks and size are made of: squares of all would take minutes.
std::vector<ScaleFactor> usual_factors() {
  std::vector<ScaleFactor> result = factors({{0, 1}, {1, 3}, {1, 2}, {2, 3}, {1, 1}, {2, 1}, {3, 1}}, 0);
  result.push_back({0, 1, 1});
  result.push_back({1, 1, 1});
  return result;
}

template <typename Value>
bool all_equal(const std::vector<ScalePlace>& places, Value ScalePlace::*value) {
  return std::ranges::all_of(places, [&](const ScalePlace& place) { return place.*value == places.front().*value; });
}

std::size_t count_different(std::vector<ScalePlace> places) {
  const auto order = [](const ScalePlace& place) { return std::pair(place.ranks, place.size); };
  std::ranges::sort(places, {}, order);
  const auto repeated = std::ranges::unique(places);
  return places.size() - repeated.size();
}

} // namespace

LawSearch::LawSearch(std::vector<ScalePlace> places, double tolerance, std::vector<ScalePlace> asked, int dimensions)
    : places_(std::move(places)), asked_(std::move(asked)), tolerance_(tolerance) {
  for (const ScalePlace& place : places_)
    if (!(place.ranks > 0 && place.size > 0 && std::isfinite(place.ranks) && std::isfinite(place.size)))
      throw Error(Failure::usage, "numbers of ranks and sizes must be above 0", "laws of scaling");
  different_ = count_different(places_);
  if (different_ < 2)
    throw Error(Failure::usage, "all runs have the same number of ranks and the same size", "laws of scaling",
                "give runs of at least three numbers of ranks or sizes");
  const std::vector<ScaleFactor> none{ScaleFactor{}};
  const bool ranks = !all_equal(places_, &ScalePlace::ranks);
  const bool sizes = !all_equal(places_, &ScalePlace::size);
  singles_ = columns(ranks ? all_factors() : none, sizes ? all_factors() : none);
  paired_ = ranks && sizes ? columns(usual_factors(), usual_factors()) : singles_;
  std::erase_if(paired_, [](const LawColumn& column) { return column.term.one(); });
  if (ranks) add_grids(dimensions, sizes);
  if (ranks && !sizes) add_stages();
}

void LawSearch::add_column(std::vector<LawColumn>& to, const ScaleTerm& term) const {
  LawColumn column{.term = term, .values = {}};
  for (const ScalePlace& place : places_)
    column.values.push_back(column.term.at(place));
  if (std::ranges::any_of(column.values, [](long double value) { return value != 0; })) to.push_back(std::move(column));
}

/// Returns whether a column is no multiple of another: of squares, a side is P^(1/2).
bool LawSearch::tells_new(const LawColumn& column) const {
  return std::ranges::none_of(singles_, [&](const LawColumn& single) {
    const long double factor = column.values.front() / single.values.front();
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (!(std::abs(column.values[i] - factor * single.values[i]) <= 1e-12L * std::abs(column.values[i])))
        return false;
    return true;
  });
}

void LawSearch::add_grids(int of, bool sizes) {
  constexpr double largest = 1e9; // whose sides are found in no time
  for (const ScalePlace& place : places_)
    if (place.ranks != std::floor(place.ranks) || place.ranks > largest) return;
  std::vector<LawColumn> grids;
  for (const int dimensions : {2, 3}) {
    if (of != 0 && of != dimensions) continue;
    for (int code = 1; code < (1 << dimensions) - 1; ++code)
      for (const int sign : {-1, 1})
        for (const bool sum : {true, false}) {
          ScaleGrid grid{.dimensions = dimensions, .exponents = {}, .sum = sum};
          for (int side = 0; side < dimensions; ++side)
            grid.exponents.at(static_cast<std::size_t>(side)) = (code >> side & 1) != 0 ? sign : 0;
          // A sum has one name: its ones stand first.
          if (sum && !std::ranges::is_sorted(grid.exponents, std::greater{}, [](int e) { return std::abs(e); }))
            continue;
          add_column(grids, {.grid = grid});
          if (!sizes || sign > 0) continue;
          // Points along a side are the root of all, n, or of n of each rank times the ranks.
          const int sides = std::popcount(static_cast<unsigned>(code));
          const ScaleFactor points{.numerator = sides, .denominator = dimensions};
          add_column(grids, {.size = points, .grid = grid});
          add_column(grids, {.ranks = points, .size = points, .grid = grid});
        }
  }
  std::erase_if(grids, [&](const LawColumn& grid) { return !tells_new(grid); });
  std::ranges::copy(grids, std::back_inserter(singles_));
  std::ranges::copy(grids, std::back_inserter(paired_));
}

/// Stages of trees: on powers of two they are log2 P.
void LawSearch::add_stages() {
  std::vector<LawColumn> stages;
  for (const int rounded : {1, -1})
    for (const int power : {0, 1, -1})
      add_column(stages, {.ranks = {.numerator = power, .logs = 1, .rounded = rounded}});
  std::erase_if(stages, [&](const LawColumn& one) { return !tells_new(one); });
  std::ranges::copy(stages, std::back_inserter(singles_));
  std::ranges::copy(stages, std::back_inserter(paired_));
}

std::vector<LawColumn> LawSearch::columns(const std::vector<ScaleFactor>& ranks,
                                          const std::vector<ScaleFactor>& sizes) const {
  std::vector<LawColumn> result;
  for (const ScaleFactor& of_ranks : ranks)
    for (const ScaleFactor& of_size : sizes)
      add_column(result, {.ranks = of_ranks, .size = of_size});
  return result;
}

} // namespace timeless::analysis
