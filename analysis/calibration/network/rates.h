#pragma once

#include "analysis/calibration/network/intervals.h"
#include "analysis/calibration/network/samples.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace timeless::analysis {

/// Bytes per second.
struct MeasuredRate {
  double bytes_per_second = 0;
  FitInterval interval = {};
  std::uint64_t from = 0; ///< the sizes it was measured with
  std::uint64_t to = 0;
};

/// Returns the rate of what one rank does with messages of 64 KiB and more: the median over sizes of bytes / seconds.
/// Nothing without.
std::optional<MeasuredRate> rate_of(const Series& series);

/// What all pairs of two nodes send at once, or all that one rank receives from a node: bytes of a message times how
/// many at once, over the time of one direction; the median for the largest sizes, those within a factor of 8 of the
/// largest.
struct PortRate {
  std::uint32_t messages = 1; ///< at once
  MeasuredRate rate;
  /// The same without what each message takes beside its bytes: what the shared link carries, in bytes per second.
  double capacity = 0;
  FitInterval capacity_interval = {};
};
/// Returns the rate of a node's port. `beside_bytes`: the seconds of a message of a size that do not come from its
/// bytes on the link.
std::optional<PortRate> node_port(const Series& pairs, const std::function<double(std::uint64_t)>& beside_bytes);
std::optional<PortRate> receiver_port(const Series& incast);

/// What travels in both directions at once, together, and beside what one direction carries alone.
struct BothWays {
  PortRate port;
  double over_one_way = 0; ///< 2: the directions have nothing to do with each other; 1: they share what there is
};

/// Returns the rate of exchanges of `at_once` pairs of ranks. `one_way`: the seconds in which as many messages of a
/// size, one a pair, travel in one direction. Nothing without exchanges.
std::optional<BothWays> both_ways(const Series& exchanges, std::uint32_t at_once,
                                  const std::function<double(std::uint64_t)>& one_way);

} // namespace timeless::analysis
