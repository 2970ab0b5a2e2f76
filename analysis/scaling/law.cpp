#include "analysis/scaling/law.h"

#include "base/error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace timeless::analysis {

namespace {

/// How much worse than the best an approximate law may be and still be kept.
constexpr double as_good = 1.5;
/// How much each step of complexity adds to the error that approximate laws are chosen by.
constexpr double price_of_complexity = 1.5;
constexpr double price_of_coefficient = price_of_complexity * price_of_complexity;
/// How much better two terms must be than one, where neither is exact.
constexpr double worth_a_term = 10;
/// The largest error at points left out of the fit with which figures are said to follow a law.
constexpr double still_a_law = 0.1;
/// What sums of doubles may be off; below it, laws fit equally well.
constexpr double no_residual = 1e-9;
/// Parts of a law that are so much larger than their sum fit whatever there is.
constexpr double most_cancellation = 100;

/// Returns by how much an error that so many degrees of freedom tell of must be widened to hold in nine of ten cases:
/// the 95 % quantile of Student's t over the normal distribution's; 1 for 0 degrees, which say nothing.
double students_factor(std::size_t degrees) {
  constexpr std::array factors{3.84, 1.78, 1.43, 1.30, 1.23, 1.18, 1.15, 1.13, 1.11, 1.10};
  return degrees == 0 || degrees > factors.size() ? 1 : factors.at(degrees - 1);
}

} // namespace

double LawFit::spans_beyond(const ScalePlace& place) const {
  const auto beyond = [](double low, double high, double there) {
    const double span = std::log(high / low);
    return span > 0 ? std::max({0.0, std::log(there / high) / span, std::log(low / there) / span}) : 0;
  };
  return std::max(beyond(least.ranks, largest.ranks, place.ranks), beyond(least.size, largest.size, place.size));
}

bool LawFit::ends_before(const ScalePlace& place) const {
  return !laws.empty() && std::ranges::all_of(laws, [&](const ScaleLaw& law) { return law.negative_at(place); });
}

std::optional<ScalePrediction> predict(const LawFit& fit, const ScalePlace& place) {
  std::optional<ScalePrediction> prediction;
  for (const ScaleLaw& law : fit.laws) {
    const double value = std::max(0.0, law.at(place));
    if (law.negative_at(place) || !std::isfinite(value)) continue;
    if (!prediction) prediction = ScalePrediction{value, value, value};
    prediction->low = std::min(prediction->low, value);
    prediction->high = std::max(prediction->high, value);
  }
  if (prediction) {
    const double error = fit.left_out_error * students_factor(fit.left_over);
    const double factor = std::pow(1 + error, 1 + 2 * fit.spans_beyond(place));
    prediction->low /= factor;
    prediction->high *= factor;
    prediction->bounded = fit.kind != LawKind::exact || fit.confirmed || fit.spans_beyond(place) == 0;
  }
  return prediction;
}

std::optional<LawCheck> check_laws(LawFit& fit, const ScalePlace& place, double measured, double tolerance) {
  if (fit.laws.empty()) return std::nullopt;
  const double allowed = tolerance * std::max(std::abs(measured), 1.0);
  const auto misses = [&](const ScaleLaw& law) { return !(std::abs(law.at(place) - measured) <= allowed); };
  LawCheck check{.exact = !std::ranges::all_of(fit.laws, misses)};
  if (check.exact) std::erase_if(fit.laws, misses);
  const double difference = fit.laws.front().at(place) - measured;
  check.residual = difference == 0 ? 0 : difference / (measured == 0 ? 1 : measured);
  if (fit.kind == LawKind::exact) {
    fit.confirmed = check.exact;
    if (!check.exact) {
      fit.kind = LawKind::approximate;
      fit.left_out_error = std::abs(check.residual);
    }
  } else if (!check.exact) {
    fit.left_out_error = std::max(fit.left_out_error, std::abs(check.residual));
  }
  return check;
}

LawFit product(const LawFit& left, const LawFit& right) {
  LawFit both{.kind = LawKind::exact,
              .confirmed = left.confirmed && right.confirmed,
              .residual = left.residual + right.residual,
              .left_over = std::min(left.left_over, right.left_over),
              .least = {std::max(left.least.ranks, right.least.ranks), std::max(left.least.size, right.least.size)},
              .largest = right.largest};
  for (const ScaleLaw& one : left.laws)
    for (const ScaleLaw& other : right.laws)
      if (auto law = product(one, other)) both.laws.push_back(std::move(*law));
  if (both.laws.empty()) return {};
  return both;
}

namespace {

using LawVector = std::vector<long double>;

long double inner_product(const LawVector& left, const LawVector& right) {
  long double sum = 0;
  for (std::size_t i = 0; i < left.size(); ++i)
    sum += left[i] * right[i];
  return sum;
}

/// Subtracts `times` the direction.
void take_away(LawVector& from, long double times, const LawVector& direction) {
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] -= times * direction[i];
}

/// A column that differs from those before it by less than this is one of them.
constexpr long double dependent = 1e-9L;

/// A law as it was fitted.
struct LawCandidate {
  ScaleLaw law;
  double residual = 0; ///< the largest, relative
  double left_out = 0; ///< SMAPE of points left out

  /// Returns what it is chosen by where nothing is exact.
  double score() const {
    return left_out * std::pow(price_of_complexity, law.complexity()) *
           std::pow(price_of_coefficient, static_cast<double>(law.parts.size()) - 1);
  }
};

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

/// One figure's values, each row divided by how large the value is, so that least squares are of relative errors.
class LawSearch::Problem {
public:
  explicit Problem(std::span<const double> values) : values_(values), target_(values.size()), scales_(values.size()) {
    double largest = 0;
    for (const double value : values)
      largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < values.size(); ++i) {
      scales_[i] = std::max(std::abs(values[i]), 1e-3 * largest);
      target_[i] = values[i] / scales_[i];
    }
  }

  const LawVector& target() const { return target_; }
  LawVector weighted(const Column& column) const {
    LawVector result = column.values;
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] /= scales_[i];
    return result;
  }

  /// Fits by least squares, with Householder's accuracy: Gram and Schmidt's orthogonal columns, made so twice. Nothing
  /// where columns depend on each other, or cancel.
  std::optional<LawCandidate> solve(const std::vector<const Column*>& chosen) const {
    const std::size_t count = chosen.size();
    std::vector<LawVector> q;
    std::vector<LawVector> r(count, LawVector(count));
    for (std::size_t j = 0; j < count; ++j) {
      LawVector column = weighted(*chosen[j]);
      const long double length = std::sqrt(inner_product(column, column));
      for (int pass = 0; pass < 2; ++pass)
        for (std::size_t i = 0; i < j; ++i) {
          const long double along = inner_product(q[i], column);
          r[i][j] += along;
          take_away(column, along, q[i]);
        }
      r[j][j] = std::sqrt(inner_product(column, column));
      if (!(r[j][j] > dependent * length)) return std::nullopt;
      for (long double& value : column)
        value /= r[j][j];
      q.push_back(std::move(column));
    }
    LawVector rest = target_;
    LawVector coefficients(count);
    for (std::size_t j = 0; j < count; ++j) {
      coefficients[j] = inner_product(q[j], rest);
      take_away(rest, coefficients[j], q[j]);
    }
    for (std::size_t j = count; j-- > 0;) {
      for (std::size_t k = j + 1; k < count; ++k)
        coefficients[j] -= r[j][k] * coefficients[k];
      coefficients[j] /= r[j][j];
    }
    return judged(chosen, coefficients, q, rest);
  }

private:
  std::optional<LawCandidate> judged(const std::vector<const Column*>& chosen, const LawVector& coefficients,
                                     const std::vector<LawVector>& q, const LawVector& rest) const {
    LawCandidate candidate;
    double sum = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      long double leverage = 0;
      for (const LawVector& direction : q)
        leverage += direction[i] * direction[i];
      candidate.residual = std::max(candidate.residual, static_cast<double>(std::abs(rest[i])));
      // What the law would say of a point if it were fitted to the others.
      const auto said = static_cast<double>(target_[i] - rest[i] / std::max(1 - leverage, 1e-12L));
      const auto was = static_cast<double>(target_[i]);
      const double size = std::abs(said) + std::abs(was);
      sum += size == 0 ? 0 : 2 * std::abs(said - was) / size;
      for (std::size_t j = 0; j < chosen.size(); ++j)
        if (std::abs(coefficients[j] * chosen[j]->values[i]) > most_cancellation * scales_[i]) return std::nullopt;
    }
    candidate.left_out = sum / static_cast<double>(rest.size());
    for (std::size_t j = 0; j < chosen.size(); ++j)
      candidate.law.parts.push_back({chosen[j]->term, static_cast<double>(coefficients[j])});
    return candidate;
  }

  std::span<const double> values_;
  LawVector target_;
  LawVector scales_;
};

namespace {

/// Calls take(i, j) for the pairs of columns that, with those that `base` spans, leave of the target at most `least` at
/// any point. Columns are weighted, and changed.
template <typename Take>
void pairs_that_fit(std::vector<LawVector>& columns, LawVector target, const LawVector* base, long double least,
                    Take take) {
  if (base != nullptr) take_away(target, inner_product(target, *base), *base);
  for (LawVector& column : columns) {
    const long double before = std::sqrt(inner_product(column, column));
    if (base != nullptr) take_away(column, inner_product(column, *base), *base);
    const long double length = std::sqrt(inner_product(column, column));
    for (long double& value : column)
      value = length > dependent * before ? value / length : 0;
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    LawVector rest = target;
    take_away(rest, inner_product(rest, columns[i]), columns[i]);
    for (std::size_t j = i + 1; j < columns.size(); ++j) {
      LawVector& other = columns[j];
      const long double along = inner_product(other, columns[i]);
      long double squared = 0;
      long double onto = 0;
      for (std::size_t k = 0; k < rest.size(); ++k) {
        const long double own = other[k] - along * columns[i][k];
        squared += own * own;
        onto += own * rest[k];
      }
      if (squared < dependent * dependent) continue;
      long double largest = 0;
      for (std::size_t k = 0; k < rest.size(); ++k)
        largest = std::max(largest, std::abs(rest[k] - onto / squared * (other[k] - along * columns[i][k])));
      if (largest <= least) take(i, j);
    }
  }
}

LawVector unit(LawVector vector) {
  const long double length = std::sqrt(inner_product(vector, vector));
  for (long double& value : vector)
    value /= length;
  return vector;
}

} // namespace

LawSearch::LawSearch(std::vector<ScalePlace> places, double tolerance, std::vector<ScalePlace> asked)
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
  std::erase_if(paired_, [](const Column& column) { return column.term.one(); });
  if (ranks && !sizes) {
    add_grids();
    add_stages();
  }
}

void LawSearch::add_column(std::vector<Column>& to, const ScaleTerm& term) const {
  Column column{.term = term, .values = {}};
  for (const ScalePlace& place : places_)
    column.values.push_back(column.term.at(place));
  if (std::ranges::any_of(column.values, [](long double value) { return value != 0; })) to.push_back(std::move(column));
}

/// Returns whether a column is no multiple of another: of squares, a side is P^(1/2).
bool LawSearch::tells_new(const Column& column) const {
  return std::ranges::none_of(singles_, [&](const Column& single) {
    const long double factor = column.values.front() / single.values.front();
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (!(std::abs(column.values[i] - factor * single.values[i]) <= 1e-12L * std::abs(column.values[i])))
        return false;
    return true;
  });
}

void LawSearch::add_grids() {
  constexpr double largest = 1e9; // whose sides are found in no time
  for (const ScalePlace& place : places_)
    if (place.ranks != std::floor(place.ranks) || place.ranks > largest) return;
  std::vector<Column> grids;
  for (const int dimensions : {2, 3})
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
        }
  std::erase_if(grids, [&](const Column& grid) { return !tells_new(grid); });
  std::ranges::copy(grids, std::back_inserter(singles_));
  std::ranges::copy(grids, std::back_inserter(paired_));
}

/// Stages of trees: on powers of two they are log2 P.
void LawSearch::add_stages() {
  std::vector<Column> stages;
  for (const int rounded : {1, -1})
    for (const int power : {0, 1, -1})
      add_column(stages, {.ranks = {.numerator = power, .logs = 1, .rounded = rounded}});
  std::erase_if(stages, [&](const Column& one) { return !tells_new(one); });
  std::ranges::copy(stages, std::back_inserter(singles_));
  std::ranges::copy(stages, std::back_inserter(paired_));
}

std::vector<LawSearch::Column> LawSearch::columns(const std::vector<ScaleFactor>& ranks,
                                                  const std::vector<ScaleFactor>& sizes) const {
  std::vector<Column> result;
  for (const ScaleFactor& of_ranks : ranks)
    for (const ScaleFactor& of_size : sizes)
      add_column(result, {.ranks = of_ranks, .size = of_size});
  return result;
}

void LawSearch::demand_values(std::span<const double> values) const {
  if (values.size() != places_.size())
    throw Error(Failure::usage, "there must be a value for each run", "laws of scaling");
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
    throw Error(Failure::usage, "a value is no finite number", "laws of scaling");
}

bool LawSearch::negative_where_asked(const ScaleLaw& law) const {
  return std::ranges::any_of(asked_, [&](const ScalePlace& place) { return law.negative_at(place); });
}

/// Returns whether two points are left over beside a law's coefficients. Places at which its terms are the same, as the
/// shorter side of 4 x 3 and 3 x 3 ranks, are one point.
bool LawSearch::confirmed(const ScaleLaw& law) const {
  if (std::ranges::all_of(law.parts, [](const ScalePart& part) { return part.term.one(); }))
    return different_ >= law.parts.size() + 2;
  std::set<std::vector<long double>> points;
  for (const ScalePlace& place : places_) {
    std::vector<long double> terms;
    for (const ScalePart& part : law.parts)
      terms.push_back(part.term.at(place));
    points.insert(std::move(terms));
  }
  return points.size() >= law.parts.size() + 2;
}

/// Says which places the laws are from.
LawFit LawSearch::with_range(LawFit found) const {
  found.least = found.largest = places_.front();
  for (const ScalePlace& place : places_) {
    found.least = {std::min(found.least.ranks, place.ranks), std::min(found.least.size, place.size)};
    found.largest = {std::max(found.largest.ranks, place.ranks), std::max(found.largest.size, place.size)};
  }
  return found;
}

LawFit LawSearch::fit(std::span<const double> values) const {
  demand_values(values);
  if (std::ranges::all_of(values, [](double value) { return value == 0; }))
    return {.kind = LawKind::exact, .confirmed = true, .laws = {ScaleLaw{{{ScaleTerm{}, 0.0}}}}};
  const Problem problem(values);
  LawFit found = exact(problem);
  return with_range(found.laws.empty() ? approximate(problem) : std::move(found));
}

LawFit LawSearch::fit_approximately(std::span<const double> values) const {
  demand_values(values);
  return with_range(approximate(Problem(values)));
}

LawFit LawSearch::exact(const Problem& problem) const {
  std::vector<LawCandidate> found;
  const auto take = [&](const std::vector<const Column*>& chosen) {
    const auto candidate = problem.solve(chosen);
    if (candidate && candidate->residual <= tolerance_) found.push_back(*candidate);
  };
  const auto take_pairs = [&](const Column* constant) {
    std::vector<LawVector> columns;
    for (const Column& column : paired_)
      columns.push_back(problem.weighted(column));
    const LawVector base = constant == nullptr ? LawVector() : unit(problem.weighted(*constant));
    pairs_that_fit(columns, problem.target(), constant == nullptr ? nullptr : &base, 2 * tolerance_,
                   [&](std::size_t i, std::size_t j) {
                     std::vector<const Column*> chosen{&paired_[i], &paired_[j]};
                     if (constant != nullptr) chosen.insert(chosen.begin(), constant);
                     take(chosen);
                   });
  };
  // Where every confirmed law is negative, the program does otherwise there; one that is not confirmed fits by chance.
  const auto drop_negative = [&] {
    const auto negative = [&](const LawCandidate& one) { return negative_where_asked(one.law); };
    const bool stay = !found.empty() && std::ranges::all_of(found, negative) && confirmed(found.front().law);
    if (!stay) std::erase_if(found, negative);
  };
  std::size_t coefficients = 1;
  for (; coefficients <= 3 && found.empty() && different_ > coefficients; ++coefficients) {
    if (coefficients == 3) {
      // There are millions of such laws, and some meet a few points by chance.
      if (different_ < coefficients + 2) break;
      take_pairs(&singles_.front());
      std::erase_if(found, [&](const LawCandidate& one) { return !confirmed(one.law); });
      drop_negative();
      continue;
    }
    for (const Column& column : singles_)
      if (coefficients == 1)
        take({&column});
      else if (&column != &singles_.front())
        take({&singles_.front(), &column});
    if (coefficients == 2) take_pairs(nullptr);
    drop_negative();
  }
  LawFit fit;
  if (found.empty()) return fit;
  const double least = std::ranges::min_element(found, {}, &LawCandidate::residual)->residual;
  std::erase_if(found, [&](const LawCandidate& one) { return one.residual > std::max(10 * least, no_residual); });
  // Programs add work up: of laws that are as simple, one without a difference is likelier to be right.
  std::ranges::stable_sort(found, {}, [](const LawCandidate& one) {
    const auto negative =
        std::ranges::count_if(one.law.parts, [](const ScalePart& part) { return part.coefficient < 0; });
    return std::pair(one.law.complexity(), negative);
  });
  fit.kind = LawKind::exact;
  fit.confirmed = confirmed(found.front().law);
  fit.residual = found.front().residual;
  for (LawCandidate& candidate : found)
    fit.laws.push_back(std::move(candidate.law));
  return fit;
}

LawFit LawSearch::approximate(const Problem& problem) const {
  std::vector<LawCandidate> candidates;
  const auto add = [&](const std::optional<LawCandidate>& candidate) {
    if (candidate && !negative_where_asked(candidate->law)) candidates.push_back(*candidate);
  };
  const auto take = [&](const std::vector<const Column*>& chosen) { add(problem.solve(chosen)); };
  const auto best_of = [&] {
    return candidates.empty() ? 2.0 : std::ranges::min_element(candidates, {}, &LawCandidate::left_out)->left_out;
  };
  const auto rounded = [](const Column& column) { return column.term.ranks.rounded != 0; };
  for (const Column& column : singles_) {
    if (rounded(column)) continue;
    take({&column});
    if (different_ >= 3 && &column != &singles_.front()) take({&singles_.front(), &column});
  }
  if (const double least = best_of() / worth_a_term; different_ >= 5) {
    for (const Column* constant : {static_cast<const Column*>(nullptr), &singles_.front()}) {
      std::vector<LawVector> columns;
      for (const Column& column : paired_)
        if (!rounded(column)) columns.push_back(problem.weighted(column)); // they stand last
      const LawVector base = constant == nullptr ? LawVector() : unit(problem.weighted(*constant));
      pairs_that_fit(columns, problem.target(), constant == nullptr ? nullptr : &base,
                     least * static_cast<double>(places_.size()), [&](std::size_t i, std::size_t j) {
                       std::vector<const Column*> chosen{&paired_[i], &paired_[j]};
                       if (constant != nullptr) chosen.insert(chosen.begin(), constant);
                       const auto candidate = problem.solve(chosen);
                       if (candidate && candidate->left_out <= least) add(candidate);
                     });
    }
  }
  const double best = best_of();
  LawFit fit{.left_out_error = best};
  if (best > still_a_law) return fit;
  std::erase_if(candidates, [&](const LawCandidate& one) { return one.left_out > still_a_law; });
  std::ranges::stable_sort(candidates, {}, &LawCandidate::score);
  const double score = candidates.front().score();
  std::erase_if(candidates, [&](const LawCandidate& one) { return one.score() > as_good * score; });
  fit.kind = LawKind::approximate;
  fit.left_over = different_ - std::min(different_, candidates.front().law.parts.size());
  fit.residual = candidates.front().residual;
  fit.left_out_error = candidates.front().left_out;
  for (LawCandidate& candidate : candidates)
    fit.laws.push_back(std::move(candidate.law));
  return fit;
}

} // namespace timeless::analysis
