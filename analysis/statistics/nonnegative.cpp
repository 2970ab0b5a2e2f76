#include "analysis/statistics/nonnegative.h"

#include <algorithm>
#include <cmath>

namespace timeless::analysis {

void Equations::add(std::span<const double> row, double value) {
  rows.insert(rows.end(), row.begin(), row.end());
  wanted.push_back(value);
}

namespace {

/// Normal equations of scaled columns.
class Normal {
public:
  explicit Normal(const Equations& equations)
      : n_(equations.columns), scale_(n_, 0.0), matrix_(n_ * n_, 0.0), right_(n_, 0.0) {
    const std::size_t rows = equations.wanted.size();
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t i = 0; i < n_; ++i)
        scale_[i] += std::pow(equations.rows[row * n_ + i], 2);
    for (double& scale : scale_)
      scale = scale > 0 ? 1 / std::sqrt(scale) : 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const double* values = equations.rows.data() + row * n_;
      for (std::size_t i = 0; i < n_; ++i) {
        right_[i] += scale_[i] * values[i] * equations.wanted[row];
        for (std::size_t j = 0; j < n_; ++j)
          matrix_[i * n_ + j] += scale_[i] * values[i] * scale_[j] * values[j];
      }
    }
  }

  std::size_t size() const { return n_; }
  double scale(std::size_t column) const { return scale_[column]; }
  /// How fast the sum of squares falls as x_i grows, by half.
  double descent(std::size_t i, std::span<const double> x) const {
    double value = right_[i];
    for (std::size_t j = 0; j < n_; ++j)
      value -= matrix_[i * n_ + j] * x[j];
    return value;
  }

  /// The least squares of these columns alone, by Cholesky; the others are 0.
  std::vector<double> solve(const std::vector<std::size_t>& columns) const {
    const std::size_t size = columns.size();
    std::vector<double> lower(size * size, 0.0);
    std::vector<double> y(size);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double value = matrix_[columns[i] * n_ + columns[j]];
        for (std::size_t k = 0; k < j; ++k)
          value -= lower[i * size + k] * lower[j * size + k];
        // What depends on the columns before it gets next to nothing.
        lower[i * size + j] = i == j ? std::sqrt(std::max(value, 1e-13)) : value / lower[j * size + j];
      }
      double value = right_[columns[i]];
      for (std::size_t k = 0; k < i; ++k)
        value -= lower[i * size + k] * y[k];
      y[i] = value / lower[i * size + i];
    }
    std::vector<double> x(n_, 0.0);
    for (std::size_t i = size; i-- > 0;) {
      double value = y[i];
      for (std::size_t k = i + 1; k < size; ++k)
        value -= lower[k * size + i] * x[columns[k]];
      x[columns[i]] = value / lower[i * size + i];
    }
    return x;
  }

private:
  std::size_t n_;
  std::vector<double> scale_;
  std::vector<double> matrix_;
  std::vector<double> right_;
};

/// Goes from x towards the free solution until the first of the columns would be below 0, and leaves those out.
void step_to_boundary(std::vector<double>& x, const std::vector<double>& free, std::vector<std::size_t>& columns) {
  double part = 1;
  for (const std::size_t column : columns)
    if (free[column] <= 0) part = std::min(part, x[column] / (x[column] - free[column]));
  for (const std::size_t column : columns) {
    x[column] += part * (free[column] - x[column]);
    if (free[column] <= 0 && x[column] < 1e-14) x[column] = 0;
  }
  std::erase_if(columns, [&](std::size_t column) { return x[column] == 0; });
}

bool all_positive(const std::vector<double>& x, const std::vector<std::size_t>& columns) {
  return std::ranges::all_of(columns, [&](std::size_t column) { return x[column] > 0; });
}

} // namespace

std::vector<double> nonnegative_least_squares(const Equations& equations) {
  const Normal normal(equations);
  std::vector<double> x(normal.size(), 0.0);
  std::vector<std::size_t> columns; // those above 0
  constexpr double least_descent = 1e-10;
  for (std::size_t round = 0; round < 10 * normal.size(); ++round) {
    std::size_t best = normal.size();
    double descent = least_descent;
    for (std::size_t column = 0; column < normal.size(); ++column) {
      if (std::ranges::find(columns, column) != columns.end() || normal.scale(column) == 0) continue;
      if (const double here = normal.descent(column, x); here > descent) {
        descent = here;
        best = column;
      }
    }
    if (best == normal.size()) break;
    columns.push_back(best);
    std::vector<double> free = normal.solve(columns);
    while (!all_positive(free, columns)) {
      step_to_boundary(x, free, columns);
      free = normal.solve(columns);
    }
    x = free;
  }
  for (std::size_t column = 0; column < x.size(); ++column)
    x[column] *= normal.scale(column);
  return x;
}

} // namespace timeless::analysis
