#pragma once

#include <span>
#include <vector>

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

/// A value and how much it counts; weights are above 0.
struct Weighted {
  double value = 0;
  double weight = 1;
};

/// Returns the least value that, with those below it, has at least q of the weight; where it is just q, the mean with
/// the next, so that the median of equal weights is median(). Of ratios y/x weighted by x > 0, the median is the slope
/// of the line through the origin with the least sum of absolute deviations |y - slope x| (Koenker: Quantile
/// regression, 2005, 1.2). Throws Error(usage) without values.
double weighted_quantile(std::vector<Weighted> values, double q);

/// Returns the distance of the quartiles over the median: how far repetitions of one measurement spread. Throws as
/// median(); 0 where the median is 0.
double relative_spread(std::span<const double> values);

/// Returns where the median of the population lies that the values were drawn from, whatever its distribution: between
/// two order statistics whose ranks follow from the binomial distribution (Le Boudec: Performance evaluation of
/// computer and communication systems, theorem 2.1; the form that Hoefler and Belli ask for, rule 5). With too few
/// values for the confidence (fewer than 6 for 95 %), the smallest and the largest. Throws as median().
Interval median_interval(std::span<const double> values, double confidence = 0.95);

} // namespace timeless::analysis
