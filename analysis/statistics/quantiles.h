#pragma once

#include <span>

namespace timeless::analysis {

/// A value that lies between two others with some confidence.
struct Interval {
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

/// Returns the q-quantile, 0 <= q <= 1, of finite values in any order: on the line between the two order statistics
/// around place q (n - 1) (Hyndman and Fan: Sample quantiles in statistical packages, 1996, definition 7). Throws
/// Error(usage) without values.
double quantile(std::span<const double> values, double q);
double median(std::span<const double> values);

/// Returns the distance of the quartiles over the median: how far repetitions of one measurement spread. Throws as
/// median(); 0 where the median is 0.
double relative_spread(std::span<const double> values);

/// Returns where the median of the population lies that the values were drawn from, whatever its distribution: between
/// two order statistics whose ranks follow from the binomial distribution (Le Boudec: Performance evaluation of
/// computer and communication systems, theorem 2.1; the form that Hoefler and Belli ask for, rule 5). With too few
/// values for the confidence (fewer than 6 for 95 %), the smallest and the largest. Throws as median().
Interval median_interval(std::span<const double> values, double confidence = 0.95);

} // namespace timeless::analysis
