#pragma once

#include "analysis/calibration/network/samples.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace timeless::analysis {

/// Bytes per second.
struct MeasuredRate {
  double bytes_per_second = 0;
  double low = 0; ///< of its interval; of all launches
  double high = 0;
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
};
/// Returns the rate of a node's port. `beside_bytes`: the seconds of a message of a size that do not come from its
/// bytes on the link.
std::optional<PortRate> node_port(const Series& pairs, const std::function<double(std::uint64_t)>& beside_bytes);
std::optional<PortRate> receiver_port(const Series& incast);

} // namespace timeless::analysis
