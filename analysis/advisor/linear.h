#pragma once

#include "analysis/advisor/logistic.h"

#include <span>
#include <vector>

namespace timeless::analysis {

/// A line through values, by least squares: intercept + sum of coefficient * value.
struct LinearFit {
  double intercept = 0;
  std::vector<double> coefficients = {}; ///< by column
  double deviation = 0;                  ///< root mean square of what is left
};

/// Fits; columns that others explain get nothing of their own. Throws Error(usage) where the lengths differ, and
/// without values.
LinearFit fit_linear(const Columns& columns, std::span<const double> values);

} // namespace timeless::analysis
