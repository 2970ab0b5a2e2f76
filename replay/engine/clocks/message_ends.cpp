#include "replay/engine/clocks/clocks.h"

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

LaneTime Clocks::time_by_lane(const Clock& clock) {
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

/// Of receiving a message, or of those of a collective.
double Clocks::message_seconds(const Incoming& incoming, std::size_t lane) const {
  const EndsRow& ends = *rows_[incoming.row].ends;
  const auto seconds = [&](const SecondsRow& row, double bytes) {
    return row.fixed[lane] + bytes * row.per_byte[lane];
  };
  if (incoming.collective == nullptr) return seconds(ends.receive, incoming.bytes);
  const CollectiveCost& cost = *incoming.collective;
  const auto bytes = static_cast<double>(whole_bytes(cost.message_size()));
  return cost.sends * seconds(ends.send, bytes) + cost.nonblocking_sends * seconds(ends.nonblocking_send, bytes) +
         cost.receives * seconds(ends.receive, bytes);
}

/// Of receiving a message.
LaneWork Clocks::work_by_lane(const Incoming& incoming) {
  double* const all = term();
  for (std::size_t lane = 0; lane < lanes(); ++lane)
    all[lane] = incoming.overhead * rates_.overhead[lane] + message_seconds(incoming, lane);
  return {1, all};
}

/// The overheads of its messages and its arithmetic.
LaneWork Clocks::work_of_collective(const Incoming& incoming) {
  if (!ends_ && incoming.overhead == 0) return {incoming.reduced_bytes, rows_.reduction()};
  double* const all = term();
  for (std::size_t lane = 0; lane < lanes(); ++lane) {
    all[lane] = incoming.overhead * rates_.overhead[lane] + incoming.reduced_bytes * rows_.reduction()[lane];
    if (ends_) all[lane] += message_seconds(incoming, lane);
  }
  return {1, all};
}

void Clocks::pay_specially(Clock& clock, std::uint32_t row, Overhead which, double bytes) {
  if (!copies_nonblocking_ && which == Overhead::nonblocking_send) clock.copied -= bytes;
  if (ends_) spend(clock, which == Overhead::send ? rows_[row].ends->send : rows_[row].ends->nonblocking_send, bytes);
}

/// A port's numbers, to be changed: all 0 at first.
double* Clocks::own_port(Snapshot& port) {
  const std::size_t length = lanes() * kernels_.planes;
  if (port && !port.shared()) return port.values();
  Snapshot out = pool_.take();
  if (port)
    std::copy_n(port.values(), length, out.values());
  else
    std::fill_n(out.values(), length, 0.0);
  port = std::move(out);
  return port.values();
}

namespace {

void copy_lane(double* to, const double* from, std::size_t lane, std::size_t lanes, std::size_t planes) {
  for (std::size_t plane = 0; plane < planes; ++plane)
    to[plane * lanes + lane] = from[plane * lanes + lane];
}

} // namespace

/// What leaves at `start` keeps the port from then on: LogGP's g + n G.
void Clocks::occupy(double* port, std::size_t lane, const double* start, const CostRow& row, double bytes) const {
  copy_lane(port, start, lane, lanes(), kernels_.planes);
  const double kept = bytes * row.ends->port.per_byte[lane];
  port[lane] += row.ends->port.fixed[lane] + kept;
  // What a wider link would shorten.
  if (kernels_.planes > 1) port[(latency_first_ ? 2 : 1) * lanes() + lane] += row.graded * kept;
}

/// A message waits until the port is free, where lanes have ports, and keeps it. One that waits for its receive is not
/// known to leave before that: it keeps from the port only others of its sort, as if it left now.
Moment Clocks::pass_port(Clock& clock, const CostRow& row, double bytes) {
  Snapshot sets_off = materialised(clock);
  double* const start = sets_off.values();
  double* const free = own_port(clock.port);
  double* const held_free = row.held != nullptr ? own_port(clock.held_port) : nullptr;
  for (std::size_t lane = 0; lane < lanes(); ++lane) {
    if (row.ends->port.fixed[lane] < 0) continue;
    const bool held = held_free != nullptr && row.held[lane] != 0;
    if (free[lane] > start[lane]) copy_lane(start, free, lane, lanes(), kernels_.planes);
    if (held && held_free[lane] > start[lane]) copy_lane(start, held_free, lane, lanes(), kernels_.planes);
    occupy(held ? held_free : free, lane, start, row, bytes);
  }
  return {std::move(sets_off)};
}

void Clocks::keep_port(Clock& clock, const Snapshot& start, const CostRow& row, double bytes) {
  const Snapshot left = pool_.take();
  double* const then = left.values();
  double* const free = own_port(clock.port);
  for (std::size_t lane = 0; lane < lanes(); ++lane) {
    if (row.held[lane] == 0 || row.ends->port.fixed[lane] < 0) continue;
    copy_lane(then, start.values(), lane, lanes(), kernels_.planes);
    then[lane] += row.handshake[lane];
    if (kernels_.planes > 1) then[(latency_first_ ? 1 : 2) * lanes() + lane] += row.graded * row.handshake[lane];
    occupy(then, lane, then, row, bytes);
    if (then[lane] > free[lane]) copy_lane(free, then, lane, lanes(), kernels_.planes);
  }
}

/// A list for one value per lane, until terms_used_ is set back.
double* Clocks::term() {
  if (terms_used_ == terms_.size()) terms_.push_back(pool_.take());
  return terms_[terms_used_++].values();
}

const double* Clocks::byte_seconds(const CostRow& row, const Incoming& incoming) {
  double* const seconds = term();
  for (std::size_t lane = 0; lane < lanes(); ++lane)
    seconds[lane] = incoming.constants * row.constant[lane] + incoming.bytes * row.byte_time[lane];
  return seconds;
}

} // namespace timeless::replay
