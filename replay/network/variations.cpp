#include "replay/network/variations.h"

#include "base/error.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace timeless::replay {

Network varied(const Network& network, std::span<const Variation> variations) {
  std::vector<Lane> lanes;
  for (const Variation& variation : variations) {
    if (variation.lane >= network.lanes.size())
      throw Error(Failure::usage, "a variation of a configuration that does not exist", std::to_string(variation.lane));
    for (const double factor : {variation.latency, variation.byte_time, variation.compute})
      if (!(factor >= 0) || !std::isfinite(factor))
        throw Error(Failure::usage, "a cost's factor must be a number from 0 on", std::to_string(factor));
    Lane& lane = lanes.emplace_back(network.lanes[variation.lane]);
    lane.latency *= variation.latency;
    lane.byte_time *= variation.byte_time;
    lane.compute_scale *= variation.compute;
  }
  Network derived = network;
  derived.lanes = std::move(lanes);
  return derived;
}

Network lanes_of(const Network& network, std::span<const std::size_t> lanes) {
  Network some = network;
  some.lanes.clear();
  for (const std::size_t lane : lanes)
    some.lanes.push_back(network.lanes.at(lane));
  return some;
}

} // namespace timeless::replay
