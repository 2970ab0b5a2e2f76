#pragma once

#include "replay/engine/clocks/lane_kernels.h"
#include "replay/engine/clocks/lane_numbers.h"

#include <cstddef>

/// What the lane kernels do in one lane, for replays that have a single one.
namespace timeless::replay {

template <typename Number>
TIMELESS_INLINE inline Number time_in(std::size_t count, const LaneRates& rates, const LaneTime& time,
                                      std::size_t lane) {
  return Number::load(time.base, count, lane)
      .plus_computation(time.work * rates.compute_scale[lane])
      .plus(time.copied * rates.memory_copy[lane])
      // A lane where overheads are free never stands alone.
      .plus(count == 1 ? time.overhead : time.overhead * rates.overhead[lane]);
}

/// A message on its way: begun, between its two parts, and arrived.
template <typename Number>
struct MessageTimes {
  Number start;
  Number middle;
  Number end;
};

template <typename Number>
TIMELESS_INLINE inline MessageTimes<Number> way_in(std::size_t count, const LaneRates& rates, const LaneTime& sent,
                                                   const LaneTransfer& transfer, std::size_t lane) {
  const Number start = time_in<Number>(count, rates, sent, lane);
  const Number middle = start.plus_first(transfer.first * transfer.first_cost[lane], transfer.graded);
  const Number end = middle.plus_second(transfer.second * transfer.second_cost[lane], transfer.graded);
  return {start, middle, end};
}

/// Divides the time from `now` to when everything has arrived; returns that.
TIMELESS_INLINE inline double divide(double now, double start, double middle, double end, const LaneCounters& counters,
                                     std::size_t lane) {
  const double x = larger(now, start);
  const double y = larger(x, middle);
  const double z = larger(y, end);
  counters.wait[lane] += x - now;
  counters.first[lane] += y - x;
  counters.second[lane] += z - y;
  return z;
}

/// Computes LaneKernels::receive in one lane.
template <typename Number>
TIMELESS_INLINE inline void receive_in(std::size_t count, const LaneRates& rates, const LaneTime& own,
                                       const LaneTime& sent, const LaneTransfer& transfer, const LaneCounters& counters,
                                       double* out, std::size_t lane) {
  const Number now = time_in<Number>(count, rates, own, lane);
  const MessageTimes<Number> way = way_in<Number>(count, rates, sent, transfer, lane);
  divide(now.time, way.start.time, way.middle.time, way.end.time, counters, lane);
  later(now, way.end).store(out, count, lane);
}

} // namespace timeless::replay
