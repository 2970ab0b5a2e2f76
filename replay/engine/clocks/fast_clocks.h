#pragma once

#include "replay/engine/clocks/clocks.h"
#include "replay/engine/clocks/lane_steps.h"

#include <utility>

/// Those parts of Clocks that the engine's innermost loop holds itself.
namespace timeless::replay {

/// Takes a message in a replay of one lane of times alone. No kernel gets the address of anything here: all of it stays
/// in registers.
TIMELESS_INLINE inline void Clocks::take_alone(Clock& clock, const LaneTime& sent, const CostRow& row, double bytes,
                                               double overhead) {
  const LaneTime own{clock.base.values(), clock.volume * clock.seconds_per_unit, clock.copied, clock.overhead};
  const double now = time_in<TimeOnly>(1, model.rates, own, 0).time;
  const MessageTimes<TimeOnly> way = way_in<TimeOnly>(1, model.rates, sent, model.usual_transfer(row, 1, bytes), 0);
  if (clock.base.shared()) clock.base = model.pool.take();
  clock.base.values()[0] =
      divide(now, way.start.time, way.middle.time, way.end.time, model.counters(clock, 1), 0) + overhead;
  clock.overhead += overhead;
  model.clear_pending(clock);
}

TIMELESS_INLINE inline void Clocks::take_fast(Clock& clock, const Moment& sent, std::uint32_t row_number, double bytes,
                                              double overhead) {
  const CostRow& row = model.rows[row_number];
  if (model.alone && row.constant == nullptr && !watches_) [[likely]]
    take_alone(clock, sent.time(), row, bytes, overhead);
  else
    take_message(clock, sent, row_number, bytes, overhead);
}

TIMELESS_INLINE inline void Clocks::begin_fast(const Clock& clock) {
  if (model.alone) return gathered_.begin(time_in<TimeOnly>(1, model.rates, model.time(clock), 0).time);
  arrivals_.clear();
}

TIMELESS_INLINE inline void Clocks::add_fast(Clock& clock, const Moment& sent, std::uint32_t row_number, double bytes,
                                             double overhead) {
  const CostRow& row = model.rows[row_number];
  clock.overhead_folded += overhead;
  if (model.alone && row.constant == nullptr && !watches_) [[likely]]
    gathered_.add(way_in<TimeOnly>(1, model.rates, sent.time(), model.usual_transfer(row, 1, bytes), 0), overhead);
  else
    add_message(clock, sent, row_number, bytes, overhead);
}

TIMELESS_INLINE inline void Clocks::take_all_fast(Clock& clock) {
  if (!model.alone) return take_arrivals(clock);
  if (clock.base.shared()) clock.base = model.pool.take();
  clock.base.values()[0] = gathered_.take(model.counters(clock, 1));
  model.clear_pending(clock);
}

} // namespace timeless::replay
