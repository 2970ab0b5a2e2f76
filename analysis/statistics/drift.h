#pragma once

#include <span>

namespace timeless::analysis {

/// Returns Spearman's rank correlation of two lists of equal length, -1 to 1; equal values share the mean of their
/// ranks. 0 where one of them does not vary. Throws Error(usage) where the lengths differ.
double spearman(std::span<const double> left, std::span<const double> right);

/// Returns true when measurements, in the order they were taken, rise or fall more than chance would have it once in a
/// hundred: |rank correlation with their order| * sqrt(n - 1) beyond 2.58, for 10 measurements or more.
bool drifts(std::span<const double> in_order);

} // namespace timeless::analysis
