#pragma once

#include "replay/engine/clocks/lane_kernels.h"
#include "replay/engine/clocks/rank_range.h"
#include "replay/network/network.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace timeless::replay {

/// Where each rank's messages come in: see LaneKernels::receive_through_port.
class RankPorts {
public:
  /// Makes a port for each of these ranks, of two lists of `values` values. With `shared`, a message keeps a rank's
  /// port as busy as if every rank of its node got one too.
  RankPorts(const Network& network, RankRange local_ranks, bool shared, std::size_t values);

  /// Adds a port like that of `rank`, for another thread of the rank.
  void add_like(std::size_t rank);

  const LaneEntrance& operator[](std::size_t rank) const { return ports_[rank]; }

private:
  std::size_t length_; ///< of a list
  std::unique_ptr<double[]> values_;
  std::vector<std::unique_ptr<double[]>> further_values_;
  std::vector<LaneEntrance> ports_;
};

} // namespace timeless::replay
