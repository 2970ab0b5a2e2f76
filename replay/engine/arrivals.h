#pragma once

#include "replay/engine/lane_kernels.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace timeless::replay {

/// Arrivals to be taken together, `count` lanes wide: for each its start, middle and end (see lane_kernels.h).
class Arrivals {
public:
  /// Empties the list and sets its width.
  void reset(std::size_t count);
  /// Adds an arrival, unless it is over by `now` in every lane: then it costs nothing wherever it stands in the order.
  void add(const LaneRates& rates, const LaneTime& sent, const LaneTransfer& transfer, const double* now);
  /// Takes all, each lane in the order of the ends there, equals as added.
  void take(const LaneCounters& counters, double* now);

private:
  double* part(std::size_t arrival, std::size_t which) { return values_.data() + (3 * arrival + which) * count_; }
  void take_by_exchanges(const LaneCounters& counters, double* now);
  void take_by_lane(const LaneCounters& counters, double* now);

  std::size_t count_ = 0;
  std::size_t size_ = 0;
  std::vector<double> values_;
  std::vector<std::uint32_t> order_;
};

} // namespace timeless::replay
