#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace timeless::analysis {

/// A system of equations: rows of `columns` numbers, and what each row should come to.
struct Equations {
  std::size_t columns = 0;
  std::vector<double> rows = {};
  std::vector<double> wanted = {};

  void add(std::span<const double> row, double value);
};

/// Returns the x >= 0 that makes the sum of the squares of A x - b least (Lawson, Hanson: Solving least squares
/// problems, 1974, chapter 23), on the columns' normal equations. Columns are scaled first, so their units do not
/// matter. A column of zeros gets 0.
std::vector<double> nonnegative_least_squares(const Equations& equations);

} // namespace timeless::analysis
