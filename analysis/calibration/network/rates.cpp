#include "analysis/calibration/network/rates.h"

#include "analysis/statistics/quantiles.h"

#include <algorithm>
#include <vector>

namespace timeless::analysis {

namespace {

/// `times`: how many messages one sample's time holds.
std::optional<MeasuredRate> rate_above(const Series& series, std::uint64_t least, const auto& times) {
  std::vector<double> rates;
  MeasuredRate rate{.from = ~std::uint64_t{0}};
  for (const Sample& sample : series.samples) {
    if (sample.bytes < least || sample.seconds <= 0) continue;
    rates.push_back(static_cast<double>(sample.bytes) * times(sample) / sample.seconds);
    rate.from = std::min(rate.from, sample.bytes);
    rate.to = std::max(rate.to, sample.bytes);
  }
  if (rates.empty()) return std::nullopt;
  const Interval interval = median_interval(rates);
  rate.bytes_per_second = median(rates);
  rate.low = interval.low;
  rate.high = interval.high;
  return rate;
}

std::uint64_t large(const Series& series) {
  constexpr std::uint64_t near_the_largest = 8;
  std::uint64_t largest = 0;
  for (const Sample& sample : series.samples)
    largest = std::max(largest, sample.bytes);
  return largest / near_the_largest;
}

/// The plan has as many ranks on one node as on the other.
std::uint32_t at_once(const Sample& sample) {
  return std::max(sample.ranks / 2, 1U);
}

std::optional<PortRate> port(const Series& series, double ways) {
  const auto rate = rate_above(series, large(series), [&](const Sample& sample) { return ways * at_once(sample); });
  if (!rate) return std::nullopt;
  return PortRate{.messages = at_once(series.samples.front()), .rate = *rate, .capacity = rate->bytes_per_second};
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
  for (const Sample& sample : pairs.samples) {
    const double of_bytes = sample.seconds / 2 - beside_bytes(sample.bytes);
    if (sample.bytes >= large(pairs) && of_bytes > 0)
      rates.push_back(static_cast<double>(sample.bytes) * at_once(sample) / of_bytes);
  }
  if (!rates.empty()) found->capacity = median(rates);
  return found;
}

std::optional<PortRate> receiver_port(const Series& incast) {
  return port(incast, 1);
}

} // namespace timeless::analysis
