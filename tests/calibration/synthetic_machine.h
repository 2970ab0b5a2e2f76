#pragma once

#include "ping/raw.h"
#include "replay/network/network_file.h"

#include <cstdint>

namespace timeless::test {

/// By how much measured times differ from the true ones.
struct Disturbance {
  double noise = 0;    ///< sigma of the logarithm of times
  double outliers = 0; ///< the share of measurements that take ten times as long
};

/// Returns what timeless-mpi ping would measure in several launches on two ranks, one on each of two nodes, of a
/// network whose truth is the description's link between nodes. `seconds` each, of simulated time.
ping::Raw measured_on(const replay::NetworkDescription& truth, std::uint64_t most_bytes, double seconds,
                      std::uint32_t launches, const Disturbance& disturbance = {});

/// Returns half a round trip of the description's link between nodes.
double half_round_trip(const replay::NetworkDescription& truth, std::uint64_t bytes);

} // namespace timeless::test
