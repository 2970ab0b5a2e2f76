#include "analysis/scaling/law.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace timeless::analysis {

namespace {

int complexity_of(const ScaleFactor& factor) {
  static constexpr std::array<int, 6> by_denominator{0, 0, 3, 4, 5, 6};
  const int power = std::abs(factor.numerator);
  const int exponent = power == 0 ? 0 : factor.denominator > 1 ? by_denominator.at(factor.denominator) : power;
  return exponent + (factor.logs == 0 ? 0 : 2 * factor.logs - (power == 0 ? 1 : 0)) + std::abs(factor.rounded);
}

} // namespace

long double ScaleFactor::at(double x) const {
  const long double base = x;
  const long double power = denominator == 2 && numerator == 1 ? std::sqrt(base)
                            : denominator == 1                 ? std::pow(base, numerator)
                                               : std::pow(base, static_cast<long double>(numerator) / denominator);
  const long double log = rounded > 0   ? std::ceil(std::log2(base))
                          : rounded < 0 ? std::floor(std::log2(base))
                                        : std::log2(base);
  return logs == 0 ? power : logs == 1 ? power * log : power * log * log;
}

namespace {

/// Returns the largest divisor of a number that is not above a limit.
std::uint64_t divisor_below(std::uint64_t number, std::uint64_t limit) {
  while (limit > 1 && number % limit != 0)
    --limit;
  return std::max<std::uint64_t>(limit, 1);
}

std::uint64_t whole_root(std::uint64_t number, int root) {
  auto guess = static_cast<std::uint64_t>(std::pow(static_cast<double>(number), 1.0 / root) + 1e-9);
  const auto power = [&](std::uint64_t base) { return root == 2 ? base * base : base * base * base; };
  while (power(guess + 1) <= number)
    ++guess;
  return guess;
}

std::array<std::uint64_t, 3> most_even_grid(std::uint64_t ranks, int dimensions) {
  const auto two = [](std::uint64_t number) {
    const std::uint64_t shorter = divisor_below(number, whole_root(number, 2));
    return std::pair(number / shorter, shorter);
  };
  if (dimensions == 2) return {two(ranks).first, two(ranks).second, 1};
  std::array<std::uint64_t, 3> best{ranks, 1, 1};
  for (std::uint64_t least = whole_root(ranks, 3); least >= 1; --least) {
    if (ranks % least != 0) continue;
    const auto [longest, middle] = two(ranks / least);
    if (longest < best[0]) best = {longest, middle, least};
  }
  std::ranges::sort(best, std::greater{});
  return best;
}

} // namespace

std::array<std::uint64_t, 3> balanced_grid(std::uint64_t ranks, int dimensions) {
  // Hundreds of terms are tried at the same few places, and the divisors of 2,000,000,000 take a while.
  constexpr std::size_t most_known = 64;
  thread_local std::map<std::pair<std::uint64_t, int>, std::array<std::uint64_t, 3>> known;
  const std::pair grid{ranks, dimensions};
  if (const auto found = known.find(grid); found != known.end()) return found->second;
  if (known.size() == most_known) known.clear();
  return known.emplace(grid, most_even_grid(ranks, dimensions)).first->second;
}

long double ScaleGrid::at(double ranks) const {
  if (one()) return 1;
  const auto sides = balanced_grid(static_cast<std::uint64_t>(ranks), dimensions);
  std::array<int, 3> order = exponents;
  const auto product = [&] {
    long double value = 1;
    for (std::size_t i = 0; i < 3; ++i)
      value *= order[i] == 0 ? 1 : order[i] > 0 ? sides[i] : 1 / static_cast<long double>(sides[i]);
    return value;
  };
  if (!sum) return product();
  const auto end = order.begin() + dimensions;
  std::sort(order.begin(), end);
  long double value = 0;
  do
    value += product();
  while (std::next_permutation(order.begin(), end));
  return value;
}

long double ScaleTerm::at(const ScalePlace& place) const {
  return ranks.at(place.ranks) * size.at(place.size) * grid.at(place.ranks);
}

int ScaleTerm::complexity() const {
  if (!grid.one())
    return 2 + (grid.sum ? 0 : 1) + (grid.dimensions == 3 ? 1 : 0) + (size.one() ? 0 : 1) + (ranks.one() ? 0 : 1);
  // (n/P)^e is one thing, the amount per rank.
  const bool per_rank =
      ranks.numerator == -size.numerator && ranks.denominator == size.denominator && ranks.logs == 0 && size.logs == 0;
  return per_rank ? complexity_of(size) : complexity_of(ranks) + complexity_of(size);
}

namespace {

std::optional<ScaleFactor> product(const ScaleFactor& left, const ScaleFactor& right) {
  constexpr int most_denominator = 5;
  const int denominator = std::lcm(left.denominator, right.denominator);
  const int numerator =
      left.numerator * (denominator / left.denominator) + right.numerator * (denominator / right.denominator);
  const int common = std::max(std::gcd(numerator, denominator), 1);
  const ScaleFactor factor{.numerator = numerator / common,
                           .denominator = denominator / common,
                           .logs = left.logs + right.logs,
                           .rounded = left.rounded + right.rounded};
  const bool known = factor.denominator <= most_denominator && factor.logs <= 2 &&
                     ((left.rounded == 0 && right.rounded == 0) || factor.logs == 1);
  return known ? std::optional(factor) : std::nullopt;
}

} // namespace

std::optional<ScaleTerm> product(const ScaleTerm& left, const ScaleTerm& right) {
  if (left.one()) return right;
  if (right.one()) return left;
  const auto ranks = product(left.ranks, right.ranks);
  const auto size = product(left.size, right.size);
  // What is of a grid stands alone.
  if (!ranks || !size || !left.grid.one() || !right.grid.one()) return std::nullopt;
  return ScaleTerm{.ranks = *ranks, .size = *size};
}

bool go_together(const ScaleTerm& left, const ScaleTerm& right) {
  return left.grid.one() || right.grid.one() || left.grid.dimensions == right.grid.dimensions;
}

double ScalePart::at(const ScalePlace& place) const {
  return static_cast<double>(coefficient * term.at(place));
}

double ScaleLaw::at(const ScalePlace& place) const {
  long double sum = 0;
  for (const ScalePart& part : parts)
    sum += part.coefficient * part.term.at(place);
  return static_cast<double>(sum);
}

bool ScaleLaw::negative_at(const ScalePlace& place) const {
  constexpr long double rounding = 1e-12L;
  long double sum = 0;
  long double size = 0;
  for (const ScalePart& part : parts) {
    const long double value = part.coefficient * part.term.at(place);
    sum += value;
    size += std::abs(value);
  }
  return sum < -rounding * size;
}

int ScaleLaw::complexity() const {
  return std::accumulate(parts.begin(), parts.end(), 0,
                         [](int sum, const ScalePart& part) { return sum + part.term.complexity(); });
}

namespace {

void add_part(ScaleLaw& law, const ScaleTerm& term, double coefficient) {
  const auto same = std::ranges::find(law.parts, term, &ScalePart::term);
  if (same == law.parts.end())
    law.parts.push_back({term, coefficient});
  else
    same->coefficient += coefficient;
}

} // namespace

ScaleLaw sum(const ScaleLaw& left, const ScaleLaw& right) {
  ScaleLaw law = left;
  for (const ScalePart& part : right.parts)
    add_part(law, part.term, part.coefficient);
  return law;
}

std::optional<ScaleLaw> product(const ScaleLaw& left, const ScaleLaw& right) {
  ScaleLaw law;
  for (const ScalePart& one : left.parts)
    for (const ScalePart& other : right.parts) {
      const auto term = product(one.term, other.term);
      if (!term) return std::nullopt;
      add_part(law, *term, one.coefficient * other.coefficient);
    }
  return law;
}

} // namespace timeless::analysis
