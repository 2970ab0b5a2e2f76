#include "replay/engine/clocks/transfers.h"

#include <utility>

namespace timeless::replay {

std::uint32_t Transfers::keep(Transit way) {
  const std::uint32_t number = numbers_.take();
  if (number == kept_.size()) kept_.emplace_back();
  kept_[number] = std::move(way);
  return number;
}

Transit Transfers::release(std::uint32_t number) {
  numbers_.give_back(number);
  return std::exchange(kept_[number], {});
}

Transit Transfers::begin(const Clock& clock, TransferPorts::Port& port, const LaneTransfer& transfer, bool bytes_last) {
  SnapshotPool& pool = clocks_.model.pool;
  used_ = true;
  if (!port.free) {
    for (Snapshot* one : {&port.began, &port.free}) {
      *one = pool.take();
      clocks_.model.set_long_ago(one->values());
    }
  }
  Transit way{pool.take(), pool.take(), pool.take()};
  clocks_.model.kernels.begin_transfer(clocks_.model.lanes(), clocks_.model.rates, clocks_.model.time(clock), transfer,
                                       bytes_last, {port.began.values(), port.free.values()},
                                       {way.start.values(), way.middle.values(), way.end.values()});
  return way;
}

Transit Transfers::begin(const Clock& clock, TransferPorts::Port& port, std::uint32_t row, double messages,
                         double bytes) {
  return begin(clock, port, clocks_.model.cost({.sent = {}, .row = row, .messages = messages, .bytes = bytes}),
               clocks_.model.latency_first);
}

void Transfers::join(Transit& all, Transit one) {
  if (!all) {
    all = std::move(one);
    return;
  }
  SnapshotPool& pool = clocks_.model.pool;
  const LaneTransit left{all.start.values(), all.middle.values(), all.end.values()};
  const LaneTransit right{one.start.values(), one.middle.values(), one.end.values()};
  // A request may hold what has been joined.
  const bool held = all.end.shared();
  Transit out = held ? Transit{pool.take(), pool.take(), pool.take()} : all;
  clocks_.model.kernels.last_to_end(clocks_.model.lanes(), left, right,
                                    {out.start.values(), out.middle.values(), out.end.values()});
  all = std::move(out);
}

void Transfers::finish(Clock& clock, const Transit& way) {
  clocks_.advance(clock, [&](const LaneTime& now, double* out) {
    clocks_.model.kernels.finish(clocks_.model.lanes(), clocks_.model.rates, now,
                                 {way.start.values(), way.middle.values(), way.end.values()},
                                 clocks_.model.counters(clock), out);
  });
}

// ---- files

/// A file's seconds are all second parts, so that nothing is added to the latency.
LaneCounters Transfers::file_counters(const Clock& clock) const {
  const std::size_t lanes = clocks_.model.lanes();
  return {clock.counters, clock.counters + lanes, clock.counters + 3 * lanes};
}

Transit Transfers::begin_file(const Clock& clock, TransferPorts::Port& port, double latency, double moving) {
  const double* const seconds = clocks_.model.rows.seconds();
  return begin(clock, port, {latency, seconds, moving, seconds, 0}, true);
}

void Transfers::finish_file(Clock& clock, const Transit& way) {
  clocks_.advance(clock, [&](const LaneTime& now, double* out) {
    clocks_.model.kernels.finish(clocks_.model.lanes(), clocks_.model.rates, now,
                                 {way.start.values(), way.start.values(), way.end.values()}, file_counters(clock), out);
  });
}

void Transfers::take_file(Clock& clock, const LaneTime& begun, double seconds) {
  used_ = true;
  const double* const one = clocks_.model.rows.seconds();
  clocks_.advance(clock, [&](const LaneTime& now, double* out) {
    clocks_.model.kernels.receive(clocks_.model.lanes(), clocks_.model.rates, now, begun, {0, one, seconds, one, 0},
                                  file_counters(clock), out);
  });
}

} // namespace timeless::replay
