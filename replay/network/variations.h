#pragma once

#include "replay/network/network.h"

#include <cstddef>
#include <span>

namespace timeless::replay {

/// A lane of another network, with some of its costs multiplied.
struct Variation {
  std::size_t lane = 0;
  double latency = 1;   ///< of links that scale (ClassCosts::scales)
  double byte_time = 1; ///< likewise
  double compute = 1;   ///< of the computation's time
};

/// Returns lanes derived from those of another network, whatever sort of network it is, with the same links: all costs
/// are as compiled there, so they are linear in the variations' factors. Throws Error(usage) for lanes that the network
/// does not have, and factors that are negative or not finite.
Network varied(const Network& network, std::span<const Variation> variations);

/// Returns these lanes of a network, as they are.
Network lanes_of(const Network& network, std::span<const std::size_t> lanes);

} // namespace timeless::replay
