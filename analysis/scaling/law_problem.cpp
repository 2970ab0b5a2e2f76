#include "analysis/scaling/law_problem.h"

#include <algorithm>
#include <cmath>

namespace timeless::analysis {

namespace {

/// How much each step of complexity adds to the error that approximate laws are chosen by.
constexpr double price_of_complexity = 1.5;
constexpr double price_of_coefficient = price_of_complexity * price_of_complexity;
/// Parts of a law that are so much larger than their sum fit whatever there is.
constexpr double most_cancellation = 100;
/// A column that differs from those before it by less than this is one of them.
constexpr long double dependent = 1e-9L;

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

LawVector unit(LawVector vector) {
  const long double length = std::sqrt(inner_product(vector, vector));
  for (long double& value : vector)
    value /= length;
  return vector;
}

} // namespace

double LawCandidate::score() const {
  return left_out * std::pow(price_of_complexity, law.complexity()) *
         std::pow(price_of_coefficient, static_cast<double>(law.parts.size()) - 1);
}

LawProblem::LawProblem(std::span<const double> values)
    : values_(values), target_(values.size()), scales_(values.size()) {
  double largest = 0;
  for (const double value : values)
    largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < values.size(); ++i) {
    scales_[i] = std::max(std::abs(values[i]), 1e-3 * largest);
    target_[i] = values[i] / scales_[i];
  }
}

LawVector LawProblem::weighted(const LawColumn& column) const {
  LawVector result = column.values;
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] /= scales_[i];
  return result;
}

/// With Householder's accuracy: Gram and Schmidt's orthogonal columns, made so twice.
std::optional<LawCandidate> LawProblem::solve(const std::vector<const LawColumn*>& chosen) const {
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

std::optional<LawCandidate> LawProblem::judged(const std::vector<const LawColumn*>& chosen,
                                               const LawVector& coefficients, const std::vector<LawVector>& q,
                                               const LawVector& rest) const {
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

void LawProblem::for_pairs_that_fit(const std::vector<const LawColumn*>& from, const LawColumn* constant,
                                    long double least,
                                    const std::function<void(const std::vector<const LawColumn*>&)>& take) const {
  std::vector<LawVector> columns;
  for (const LawColumn* column : from)
    columns.push_back(weighted(*column));
  LawVector target = target_;
  const std::optional<LawVector> base = constant == nullptr ? std::nullopt : std::optional(unit(weighted(*constant)));
  if (base) take_away(target, inner_product(target, *base), *base);
  for (LawVector& column : columns) {
    const long double before = std::sqrt(inner_product(column, column));
    if (base) take_away(column, inner_product(column, *base), *base);
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
      if (squared < dependent * dependent || !go_together(from[i]->term, from[j]->term)) continue;
      long double largest = 0;
      for (std::size_t k = 0; k < rest.size(); ++k)
        largest = std::max(largest, std::abs(rest[k] - onto / squared * (other[k] - along * columns[i][k])));
      if (largest > least) continue;
      std::vector<const LawColumn*> chosen{from[i], from[j]};
      if (constant != nullptr) chosen.insert(chosen.begin(), constant);
      take(chosen);
    }
  }
}

} // namespace timeless::analysis
