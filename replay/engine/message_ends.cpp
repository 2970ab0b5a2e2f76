#include "replay/engine/clocks.h"

#include <algorithm>
#include <utility>

// What differs by lane at messages' ends, and what a message takes beside its latency and its bytes. Only some networks
// have such things; a clock without them never comes here.
//
// Lanes that lack them must not notice those beside them that have them. So nothing here folds what is pending: the
// overheads pend in a list of their own, which is added after all else, and 0 changes no time.
namespace timeless::replay {

void Clocks::materialise(const Clock& clock, double* out) {
  kernels_.fold(lanes(), rates_,
                {clock.base.values(), clock.volume * clock.seconds_per_unit, clock.copied, clock.overhead}, out);
  if (!clock.pending) return;
  const double* const pending = clock.pending.values();
  for (std::size_t lane = 0; lane < lanes(); ++lane)
    out[lane] += pending[lane];
}

LaneTime Clocks::own_by_lane(const Clock& clock) {
  if (!own_) own_ = pool_.take();
  materialise(clock, own_.values());
  return {own_.values()};
}

Snapshot Clocks::materialised(const Clock& clock) {
  Snapshot time = pool_.take();
  materialise(clock, time.values());
  return time;
}

void Clocks::spend(Clock& clock, const SecondsRow& seconds, double bytes) {
  const bool first = !clock.pending;
  Snapshot out = first || clock.pending.shared() ? pool_.take() : clock.pending;
  const double* const before = first ? nullptr : clock.pending.values();
  double* const after = out.values();
  double* const counted = clock.counters + 4 * lanes();
  for (std::size_t lane = 0; lane < lanes(); ++lane) {
    const double spent = seconds.fixed[lane] + bytes * seconds.per_byte[lane];
    after[lane] = (first ? 0 : before[lane]) + spent;
    counted[lane] += spent;
  }
  clock.pending = std::move(out);
}

void Clocks::pay_specially(Clock& clock, std::uint32_t row, Overhead which, double bytes) {
  if (!copies_nonblocking_ && which == Overhead::nonblocking_send) clock.copied -= bytes;
  if (ends_) spend(clock, which == Overhead::send ? rows_[row].ends->send : rows_[row].ends->nonblocking_send, bytes);
}

/// A message waits until the port is free, where lanes have ports, and keeps it from then on: LogGP's g + n G.
Moment Clocks::pass_port(Clock& clock, const CostRow& row, double bytes) {
  Snapshot sets_off = materialised(clock);
  double* const start = sets_off.values();
  const std::size_t planes = kernels_.planes;
  const bool first = !clock.port;
  Snapshot out = first || clock.port.shared() ? pool_.take() : clock.port;
  if (first)
    std::fill_n(out.values(), lanes() * planes, 0.0);
  else if (out.values() != clock.port.values())
    std::copy_n(clock.port.values(), lanes() * planes, out.values());
  double* const free = out.values();
  const SecondsRow& port = row.ends->port;
  for (std::size_t lane = 0; lane < lanes(); ++lane) {
    if (port.fixed[lane] < 0) continue;
    const bool waits = free[lane] > start[lane];
    for (std::size_t plane = 0; plane < planes; ++plane) {
      double& begins = start[plane * lanes() + lane];
      if (waits) begins = free[plane * lanes() + lane];
      free[plane * lanes() + lane] = begins;
    }
    const double kept = bytes * port.per_byte[lane];
    free[lane] += port.fixed[lane] + kept;
    // What a wider link would shorten.
    if (planes > 1) free[(latency_first_ ? 2 : 1) * lanes() + lane] += row.graded * kept;
  }
  clock.port = std::move(out);
  return {std::move(sets_off)};
}

const double* Clocks::byte_seconds(const CostRow& row, const Incoming& incoming) {
  if (terms_used_ == terms_.size()) terms_.push_back(pool_.take());
  double* const seconds = terms_[terms_used_++].values();
  for (std::size_t lane = 0; lane < lanes(); ++lane)
    seconds[lane] = incoming.constants * row.constant[lane] + incoming.bytes * row.byte_time[lane];
  return seconds;
}

} // namespace timeless::replay
