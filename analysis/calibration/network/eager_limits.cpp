#include "analysis/calibration/network/eager_limits.h"

#include "analysis/statistics/quantiles.h"

#include <algorithm>
#include <vector>

namespace timeless::analysis {

std::optional<EagerLimit> eager_limit(const Series& delayed) {
  if (delayed.samples.empty()) return std::nullopt;
  // One launch may have been disturbed: a size waits where it did in half of its samples or more.
  std::map<std::uint64_t, std::pair<std::size_t, std::size_t>> sizes; // waited, all
  for (const Sample& sample : delayed.samples) {
    auto& [waited, all] = sizes[sample.bytes];
    if (sample.seconds >= sample.gap / 2) ++waited;
    ++all;
  }
  EagerLimit limit;
  for (const auto& [bytes, counts] : sizes) {
    if (2 * counts.first >= counts.second) {
      limit.below = bytes;
      break;
    }
    limit.at_least = bytes;
  }
  return limit;
}

std::optional<MeasuredShare> left_after_overlap(const Series& overlap, const Curve& half_round_trip,
                                                std::uint64_t eager) {
  std::vector<LaunchValue> shares;
  std::vector<double> values;
  for (const Sample& sample : overlap.samples)
    if (sample.bytes > eager) {
      values.push_back(sample.seconds / half_round_trip(static_cast<double>(sample.bytes)));
      shares.push_back({sample.launch, values.back()});
    }
  if (shares.empty()) return std::nullopt;
  return MeasuredShare{median(values), interval_of_median(shares)};
}

} // namespace timeless::analysis
