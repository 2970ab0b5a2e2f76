#pragma once

#include "analysis/scaling/law.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

/// Sums of given terms, fitted to a figure's values.
namespace timeless::analysis {

using LawVector = std::vector<long double>;

/// A law as it was fitted.
struct LawCandidate {
  ScaleLaw law;
  double residual = 0; ///< the largest, relative
  double left_out = 0; ///< SMAPE of points left out

  /// Returns what it is chosen by where nothing is exact.
  double score() const;
};

/// One figure's values, each row divided by how large the value is, so that least squares are of relative errors.
class LawProblem {
public:
  explicit LawProblem(std::span<const double> values);

  /// Fits by least squares. Nothing where columns depend on each other, or cancel.
  std::optional<LawCandidate> solve(const std::vector<const LawColumn*>& chosen) const;
  /// Calls take() with the constant, if that is given, and each two columns that may stand together and leave, with it,
  /// of each value at most `least`, relative.
  void for_pairs_that_fit(const std::vector<const LawColumn*>& columns, const LawColumn* constant, long double least,
                          const std::function<void(const std::vector<const LawColumn*>&)>& take) const;

private:
  LawVector weighted(const LawColumn& column) const;
  std::optional<LawCandidate> judged(const std::vector<const LawColumn*>& chosen, const LawVector& coefficients,
                                     const std::vector<LawVector>& q, const LawVector& rest) const;

  std::span<const double> values_;
  LawVector target_;
  LawVector scales_;
};

} // namespace timeless::analysis
