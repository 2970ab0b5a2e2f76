#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace timeless::analysis {

/// The values of some variables, one column each, all of the same length.
using Columns = std::vector<std::vector<double>>;

/// A logistic regression: the probability of "yes" is 1 / (1 + exp(-(intercept + sum of coefficient * value))).
struct LogisticFit {
  double intercept = 0;
  std::vector<double> coefficients = {}; ///< by column
  double log_likelihood = 0;             ///< of the data, without the penalty
  bool converged = false;

  /// Returns Akaike's criterion, 2 k - 2 log L with k parameters.
  double aic() const { return 2 * static_cast<double>(1 + coefficients.size()) - 2 * log_likelihood; }
  /// Returns the probability for values in the order of the columns.
  double probability(std::span<const double> values) const;
};

/// How coefficients are kept from running away where a variable parts the answers (Greenland and Mansournia:
/// Penalization, bias reduction, and default priors in logistic and related categorical and survival regressions,
/// 2015).
enum class Penalty : unsigned char {
  none,  ///< maximum likelihood
  log_f, ///< a log-F(1,1) prior on each coefficient, none on the intercept; for columns of mean 0 and deviation 1
};

/// Fits by Newton's method with halved steps (iteratively reweighted least squares); the prior is two half rows per
/// coefficient, as data. `answers`: true for "yes", one per row. Throws Error(usage) where the lengths differ, and
/// without rows.
LogisticFit fit_logistic(const Columns& columns, const std::vector<bool>& answers, Penalty penalty);

} // namespace timeless::analysis
