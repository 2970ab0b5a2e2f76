#include "analysis/statistics/quantiles.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace timeless::analysis {

namespace {

std::vector<double> sorted(std::span<const double> values) {
  if (values.empty()) throw Error(Failure::usage, "a quantile of no values");
  std::vector<double> all(values.begin(), values.end());
  std::ranges::sort(all);
  return all;
}

double quantile_of_sorted(std::span<const double> values, double q) {
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= values.size()) return values.back();
  const double part = place - static_cast<double>(below);
  return values[below] + part * (values[below + 1] - values[below]);
}

/// Returns the largest number k of values with P(B < k) <= probability for B binomial of n and 1/2: below that many,
/// the median lies with no more than this probability.
std::size_t lower_rank(std::size_t n, double probability) {
  // log of n over k, over 2^n
  double term = -static_cast<double>(n) * std::log(2.0);
  double below = 0;
  for (std::size_t k = 0; k <= n; ++k) {
    below += std::exp(term);
    if (below > probability) return k;
    term += std::log(static_cast<double>(n - k)) - std::log(static_cast<double>(k + 1));
  }
  return n;
}

} // namespace

double quantile(std::span<const double> values, double q) {
  return quantile_of_sorted(sorted(values), q);
}

double weighted_quantile(std::vector<Weighted> values, double q) {
  if (values.empty()) throw Error(Failure::usage, "a quantile of no values");
  std::ranges::sort(values, {}, &Weighted::value);
  double all = 0;
  for (const Weighted& each : values)
    all += each.weight;
  double below = 0;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    below += values[i].weight;
    if (below > q * all) return values[i].value;
    if (below == q * all) return std::midpoint(values[i].value, values[i + 1].value);
  }
  return values.back().value;
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

double relative_spread(std::span<const double> values) {
  const std::vector<double> all = sorted(values);
  const double middle = quantile_of_sorted(all, 0.5);
  return middle == 0 ? 0 : (quantile_of_sorted(all, 0.75) - quantile_of_sorted(all, 0.25)) / std::abs(middle);
}

Interval median_interval(std::span<const double> values, double confidence) {
  const std::vector<double> all = sorted(values);
  // The k-th smallest and the k-th largest (from 1) hold the median between them but for P(B < k) on either side.
  const std::size_t k = lower_rank(all.size(), (1 - confidence) / 2);
  if (k == 0) return {all.front(), all.back()};
  return {all[k - 1], all[all.size() - k]};
}

} // namespace timeless::analysis
