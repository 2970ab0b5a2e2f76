#include "analysis/statistics/drift.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace timeless::analysis {

namespace {

/// Returns ranks from 0; equal values share the mean of theirs.
std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t place) { return values[place]; });
  std::vector<double> all(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]])
      ++end;
    for (std::size_t place = begin; place < end; ++place)
      all[order[place]] = static_cast<double>(begin + end - 1) / 2;
    begin = end;
  }
  return all;
}

} // namespace

double spearman(std::span<const double> left, std::span<const double> right) {
  if (left.size() != right.size()) throw Error(Failure::usage, "a correlation of lists of different lengths");
  const std::vector<double> a = ranks(left);
  const std::vector<double> b = ranks(right);
  const double mean = (static_cast<double>(left.size()) - 1) / 2;
  double products = 0;
  double squares_a = 0;
  double squares_b = 0;
  for (std::size_t place = 0; place < a.size(); ++place) {
    products += (a[place] - mean) * (b[place] - mean);
    squares_a += (a[place] - mean) * (a[place] - mean);
    squares_b += (b[place] - mean) * (b[place] - mean);
  }
  return squares_a == 0 || squares_b == 0 ? 0 : products / std::sqrt(squares_a * squares_b);
}

bool drifts(std::span<const double> in_order) {
  constexpr std::size_t least = 10;
  constexpr double once_in_a_hundred = 2.5758; // of a normal distribution, on both sides
  if (in_order.size() < least) return false;
  std::vector<double> order(in_order.size());
  std::iota(order.begin(), order.end(), 0.0);
  return std::abs(spearman(order, in_order)) * std::sqrt(static_cast<double>(in_order.size() - 1)) > once_in_a_hundred;
}

} // namespace timeless::analysis
