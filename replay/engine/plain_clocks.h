#pragma once

#include "replay/engine/clocks.h"
#include "replay/engine/lane_steps.h"

#include <utility>

/// Those parts of Clocks that the engine's innermost loop holds itself, and what they share with the others.
namespace timeless::replay {

inline LaneTime Clocks::own(const Clock& clock) {
  if (clock.pending) [[unlikely]]
    return own_by_lane(clock);
  return {clock.base.values(), clock.volume * clock.seconds_per_unit, clock.copied, clock.overhead};
}

inline LaneTransfer Clocks::transfer(const Incoming& incoming) {
  const CostRow& row = rows_[incoming.row];
  if (row.constant == nullptr || incoming.constants == 0) [[likely]]
    return usual_transfer(incoming);
  const double* const bytes = byte_seconds(row, incoming);
  if (latency_first_) return {incoming.messages, row.latency, 1, bytes, row.graded};
  return {1, bytes, incoming.messages, row.latency, row.graded};
}

inline LaneTransfer Clocks::usual_transfer(const Incoming& incoming) const {
  const CostRow& row = rows_[incoming.row];
  if (latency_first_) return {incoming.messages, row.latency, incoming.bytes, row.byte_time, row.graded};
  return {incoming.bytes, row.byte_time, incoming.messages, row.latency, row.graded};
}

inline LaneCounters Clocks::counters(const Clock& clock) const {
  double* const wait = clock.counters;
  double* const latency = wait + lanes();
  double* const bandwidth = latency + lanes();
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

TIMELESS_INLINE inline void Clocks::take_plainly(Clock& clock, const LaneTime& sent, std::uint32_t row, double bytes) {
  const Incoming incoming{.sent = sent, .row = row, .bytes = bytes, .port = true};
  if (rows_[row].constant != nullptr || !incasts_.empty()) [[unlikely]]
    return take(clock, incoming);
  Snapshot fresh = clock.base.shared() ? pool_.take() : Snapshot();
  double* const out = fresh ? fresh.values() : clock.base.values();
  const LaneTime own{clock.base.values(), clock.volume * clock.seconds_per_unit, clock.copied, clock.overhead};
  if (alone_)
    receive_in<Plain>(1, rates_, own, sent, usual_transfer(incoming), counters(clock), out, 0);
  else
    kernels_.receive(lanes(), rates_, own, sent, usual_transfer(incoming), counters(clock), out);
  if (fresh) clock.base = std::move(fresh);
  clear_pending(clock);
}

TIMELESS_INLINE inline void Clocks::begin_plainly(const Clock& clock) {
  arrivals_.clear();
  terms_used_ = 0;
  gathered_.size = 0;
  if (alone_) gathered_.now = time_in<Plain>(1, rates_, own(clock), 0).time;
}

TIMELESS_INLINE inline void Clocks::add_plainly(const Clock& clock, const LaneTime& sent, std::uint32_t row,
                                                double bytes) {
  const Incoming incoming{.sent = sent, .row = row, .bytes = bytes, .port = true};
  if (!incasts_.empty()) [[unlikely]]
    watch(clock, incoming);
  if (!alone_) {
    arrivals_.push_back({sent, transfer(incoming), false});
    return;
  }
  const Way<Plain> way = way_in<Plain>(1, rates_, sent, transfer(incoming), 0);
  // What is over by now changes nothing.
  if (way.end.time <= gathered_.now) return;
  std::size_t place = gathered_.size++;
  for (; place > 0 && gathered_.ways[place - 1].end > way.end.time; --place)
    gathered_.ways[place] = gathered_.ways[place - 1];
  gathered_.ways[place] = {way.start.time, way.middle.time, way.end.time};
}

TIMELESS_INLINE inline void Clocks::take_all_plainly(Clock& clock) {
  Snapshot out = writable(clock);
  if (alone_) {
    double now = gathered_.now;
    for (std::size_t index = 0; index < gathered_.size; ++index) {
      const auto& way = gathered_.ways[index];
      now = divide(now, way.start, way.middle, way.end, counters(clock), 0);
    }
    out.values()[0] = now;
  } else {
    kernels_.receive_together(lanes(), rates_, own(clock), arrivals_.size(), arrivals_.data(), counters(clock),
                              out.values());
  }
  clock.base = std::move(out);
  clear_pending(clock);
}

} // namespace timeless::replay
