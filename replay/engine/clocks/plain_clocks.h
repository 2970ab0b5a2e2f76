#pragma once

#include "replay/engine/clocks/clocks.h"
#include "replay/engine/clocks/lane_steps.h"

#include <utility>

/// Those parts of Clocks that the engine's innermost loop holds itself, and what they share with the others.
namespace timeless::replay {

inline LaneTime Clocks::time(const Clock& clock) {
  if (clock.pending) [[unlikely]]
    return time_by_lane(clock);
  return {clock.base.values(), clock.volume * clock.seconds_per_unit, clock.copied, clock.overhead};
}

inline LaneTransfer Clocks::cost(const Incoming& incoming) {
  terms_used_ = 0;
  return transfer(incoming);
}

inline LaneTransfer Clocks::transfer(const Incoming& incoming) {
  const CostRow& row = rows_[incoming.row];
  if (row.constant == nullptr || incoming.constants == 0) [[likely]]
    return usual_transfer(row, incoming.messages, incoming.bytes);
  const double* const bytes = byte_seconds(row, incoming);
  if (latency_first_) return {incoming.messages, row.latency, 1, bytes, row.graded};
  return {1, bytes, incoming.messages, row.latency, row.graded};
}

inline LaneTransfer Clocks::usual_transfer(const CostRow& row, double messages, double bytes) const {
  if (latency_first_) return {messages, row.latency, bytes, row.byte_time, row.graded};
  return {bytes, row.byte_time, messages, row.latency, row.graded};
}

inline LaneWork Clocks::work(const Incoming& incoming) {
  if (incoming.collective != nullptr) [[unlikely]]
    return work_of_collective(incoming);
  if (ends_ && incoming.received) [[unlikely]]
    return work_by_lane(incoming);
  return {incoming.overhead, rows_.overhead()};
}

inline void Clocks::clear_arrivals() {
  arrivals_.clear();
  working_arrivals_ = 0;
  terms_used_ = 0;
}

inline void Clocks::add_arrival(const Incoming& incoming) {
  const LaneWork work = this->work(incoming);
  if (work.amount != 0) ++working_arrivals_;
  arrivals_.push_back({incoming.sent, transfer(incoming), work, incoming.port});
}

inline LaneCounters Clocks::counters(const Clock& clock) const {
  return counters(clock, lanes());
}

TIMELESS_INLINE inline LaneCounters Clocks::counters(const Clock& clock, std::size_t lanes) const {
  double* const wait = clock.counters;
  double* const latency = wait + lanes;
  double* const bandwidth = latency + lanes;
  return latency_first_ ? LaneCounters{wait, latency, bandwidth} : LaneCounters{wait, bandwidth, latency};
}

inline void Clocks::clear_pending(Clock& clock) {
  clock.volume_folded += clock.volume;
  clock.copied_folded += clock.copied;
  clock.overhead_folded += clock.overhead;
  clock.volume = clock.copied = clock.overhead = 0;
  if (ends_) [[unlikely]]
    clock.pending.reset();
}

inline Snapshot Clocks::writable(const Clock& clock) {
  return clock.base.shared() ? pool_.take() : clock.base;
}

/// Nothing whose address a kernel gets: all of it stays in registers.
TIMELESS_INLINE inline void Clocks::take_alone(Clock& clock, const LaneTime& sent, const CostRow& row, double bytes,
                                               double overhead) {
  const LaneTime own{clock.base.values(), clock.volume * clock.seconds_per_unit, clock.copied, clock.overhead};
  const double now = time_in<Plain>(1, rates_, own, 0).time;
  const Way<Plain> way = way_in<Plain>(1, rates_, sent, usual_transfer(row, 1, bytes), 0);
  if (clock.base.shared()) clock.base = pool_.take();
  clock.base.values()[0] = divide(now, way.start.time, way.middle.time, way.end.time, counters(clock, 1), 0) + overhead;
  clock.overhead += overhead;
  clear_pending(clock);
}

TIMELESS_INLINE inline void Clocks::take_fast(Clock& clock, const Moment& sent, std::uint32_t row_number, double bytes,
                                              double overhead) {
  const CostRow& row = rows_[row_number];
  if (alone_ && row.constant == nullptr && !watches_) [[likely]]
    take_alone(clock, sent.time(), row, bytes, overhead);
  else
    take_message(clock, sent, row_number, bytes, overhead);
}

TIMELESS_INLINE inline void Clocks::begin_fast(const Clock& clock) {
  if (alone_) return gathered_.begin(time_in<Plain>(1, rates_, time(clock), 0).time);
  clear_arrivals();
}

TIMELESS_INLINE inline void Clocks::add_fast(Clock& clock, const Moment& sent, std::uint32_t row_number, double bytes,
                                             double overhead) {
  const CostRow& row = rows_[row_number];
  clock.overhead_folded += overhead;
  if (alone_ && row.constant == nullptr && !watches_) [[likely]]
    gathered_.add(way_in<Plain>(1, rates_, sent.time(), usual_transfer(row, 1, bytes), 0), overhead);
  else
    add_message(clock, sent, row_number, bytes, overhead);
}

TIMELESS_INLINE inline void Clocks::take_all_fast(Clock& clock) {
  if (!alone_) return take_arrivals(clock);
  if (clock.base.shared()) clock.base = pool_.take();
  clock.base.values()[0] = gathered_.take(counters(clock, 1));
  clear_pending(clock);
}

} // namespace timeless::replay
