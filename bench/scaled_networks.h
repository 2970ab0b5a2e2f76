#pragma once

#include "replay/network/hockney_network.h"
#include "replay/network/presets.h"

#include <cmath>
#include <cstddef>
#include <vector>

namespace timeless::bench {

/// Returns lanes between a network eight times slower and one eight times faster.
inline replay::Network scaled_networks(trace::Rank ranks, std::size_t lanes) {
  std::vector<replay::HockneyLane> all;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const double exponent = lanes == 1 ? 0 : 6.0 * static_cast<double>(lane) / static_cast<double>(lanes - 1) - 3;
    all.push_back(
        replay::lane(replay::preset("e10g"), {.bandwidth = std::exp2(exponent), .latency = std::exp2(-exponent)}));
  }
  return replay::hockney_network(all, replay::one_rank_per_node(ranks, 1e-9));
}

} // namespace timeless::bench
