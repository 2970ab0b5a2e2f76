#include "analysis/calibration/network/rates.h"

#include "analysis/statistics/quantiles.h"

#include <algorithm>
#include <vector>

namespace timeless::analysis {

namespace {

/// `times`: how many messages one sample's time holds.
std::optional<MeasuredRate> rate_above(const Series& series, std::uint64_t least, const auto& times) {
  std::vector<double> rates;
  std::vector<LaunchValue> of_launches;
  MeasuredRate rate{.from = ~std::uint64_t{0}};
  for (const Sample& sample : series.samples) {
    if (sample.bytes < least || sample.seconds <= 0) continue;
    rates.push_back(static_cast<double>(sample.bytes) * times(sample) / sample.seconds);
    of_launches.push_back({sample.launch, rates.back()});
    rate.from = std::min(rate.from, sample.bytes);
    rate.to = std::max(rate.to, sample.bytes);
  }
  if (rates.empty()) return std::nullopt;
  rate.bytes_per_second = median(rates);
  rate.interval = interval_of_median(of_launches);
  return rate;
}

std::uint64_t large(const Series& series) {
  constexpr std::uint64_t near_the_largest = 8;
  std::uint64_t largest = 0;
  for (const Sample& sample : series.samples)
    largest = std::max(largest, sample.bytes);
  return largest / near_the_largest;
}

std::optional<PortRate> port(const Series& series, double ways) {
  const auto rate = rate_above(series, large(series), [&](const Sample& sample) { return ways * sample.at_once; });
  if (!rate) return std::nullopt;
  return PortRate{.messages = series.samples.front().at_once,
                  .rate = *rate,
                  .capacity = rate->bytes_per_second,
                  .capacity_interval = rate->interval};
}

} // namespace

std::optional<MeasuredRate> rate_of(const Series& series) {
  constexpr std::uint64_t least = std::uint64_t{1} << 16U;
  return rate_above(series, least, [](const Sample&) { return 1.0; });
}

std::optional<PortRate> node_port(const Series& pairs, const std::function<double(std::uint64_t)>& beside_bytes) {
  std::optional<PortRate> found = port(pairs, 2);
  if (!found) return found;
  std::vector<double> rates;
  std::vector<LaunchValue> of_launches;
  for (const Sample& sample : pairs.samples) {
    const double of_bytes = sample.seconds / 2 - beside_bytes(sample.bytes);
    if (sample.bytes < large(pairs) || of_bytes <= 0) continue;
    rates.push_back(static_cast<double>(sample.bytes) * sample.at_once / of_bytes);
    of_launches.push_back({sample.launch, rates.back()});
  }
  if (rates.empty()) return found;
  found->capacity = median(rates);
  found->capacity_interval = interval_of_median(of_launches);
  return found;
}

std::optional<PortRate> receiver_port(const Series& incast) {
  return port(incast, 1);
}

std::optional<BothWays> both_ways(const Series& exchanges, std::uint32_t at_once,
                                  const std::function<double(std::uint64_t)>& one_way) {
  const auto rate = rate_above(exchanges, large(exchanges), [&](const Sample&) { return 2.0 * at_once; });
  if (!rate) return std::nullopt;
  std::vector<double> ratios;
  for (const Sample& sample : exchanges.samples)
    if (sample.bytes >= large(exchanges) && sample.seconds > 0)
      ratios.push_back(2 * one_way(sample.bytes) / sample.seconds);
  return BothWays{.port = {.messages = 2 * at_once,
                           .rate = *rate,
                           .capacity = rate->bytes_per_second,
                           .capacity_interval = rate->interval},
                  .over_one_way = median(ratios)};
}

} // namespace timeless::analysis
