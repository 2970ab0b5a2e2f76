#include "replay/engine/clocks/send_costs.h"

#include <algorithm>
#include <utility>

// What differs by lane at messages' ends, and what a message takes beside its latency and its bytes. Only some networks
// have such things; a clock without them never comes here.
//
// Lanes that lack them must not notice those beside them that have them. So nothing here folds what is pending: the
// overheads pend in a list of their own, which is added after all else, and 0 changes no time.
namespace timeless::replay {

void SendCosts::spend(Clock& clock, const SecondsRow& seconds, double bytes) {
  const bool first = !clock.pending;
  Snapshot out = first || clock.pending.shared() ? model_.pool.take() : clock.pending;
  const double* const before = first ? nullptr : clock.pending.values();
  double* const after = out.values();
  double* const counted = clock.counters + 4 * model_.lanes();
  for (std::size_t lane = 0; lane < model_.lanes(); ++lane) {
    const double spent = seconds.fixed[lane] + bytes * seconds.per_byte[lane];
    after[lane] = (first ? 0 : before[lane]) + spent;
    counted[lane] += spent;
  }
  clock.pending = std::move(out);
}

void SendCosts::pay_specially(Clock& clock, std::uint32_t row, Overhead which, double bytes) {
  if (!copies_nonblocking_ && which == Overhead::nonblocking_send) clock.copied -= bytes;
  if (model_.ends)
    spend(clock, which == Overhead::send ? model_.rows[row].ends->send : model_.rows[row].ends->nonblocking_send,
          bytes);
}

/// Returns a port's numbers, to be changed: free for long at first.
double* SendCosts::own_port(Snapshot& port) {
  const std::size_t length = model_.values();
  if (port && !port.shared()) return port.values();
  Snapshot out = model_.pool.take();
  if (port)
    std::copy_n(port.values(), length, out.values());
  else
    model_.set_long_ago(out.values());
  port = std::move(out);
  return port.values();
}

namespace {

void copy_lane(double* to, const double* from, std::size_t lane, std::size_t lanes, std::size_t planes) {
  for (std::size_t plane = 0; plane < planes; ++plane)
    to[plane * lanes + lane] = from[plane * lanes + lane];
}

} // namespace

/// Keeps the port from `start` on for what leaves then: LogGP's g + n G.
void SendCosts::occupy(double* port, std::size_t lane, const double* start, const CostRow& row, double bytes) const {
  copy_lane(port, start, lane, model_.lanes(), model_.kernels.planes);
  const double kept = bytes * row.ends->port.per_byte[lane];
  port[lane] += row.ends->port.fixed[lane] + kept;
  // What a wider link would shorten.
  if (model_.kernels.planes > 1) port[(model_.latency_first ? 2 : 1) * model_.lanes() + lane] += row.graded * kept;
}

/// Waits with a message until the port is free, where lanes have ports, and keeps it. One that waits for its receive is
/// not known to leave before that: it keeps from the port only others of its sort, as if it left now.
Moment SendCosts::pass_port(Clock& clock, const CostRow& row, double bytes) {
  Snapshot sets_off = model_.materialised(clock);
  double* const start = sets_off.values();
  double* const free = own_port(clock.port);
  double* const held_free = row.held != nullptr ? own_port(clock.held_port) : nullptr;
  for (std::size_t lane = 0; lane < model_.lanes(); ++lane) {
    if (row.ends->port.fixed[lane] < 0) continue;
    const bool held = held_free != nullptr && row.held[lane] != 0;
    if (free[lane] > start[lane]) copy_lane(start, free, lane, model_.lanes(), model_.kernels.planes);
    if (held && held_free[lane] > start[lane]) copy_lane(start, held_free, lane, model_.lanes(), model_.kernels.planes);
    occupy(held ? held_free : free, lane, start, row, bytes);
  }
  return {std::move(sets_off)};
}

void SendCosts::keep_port(Clock& clock, const Snapshot& start, const CostRow& row, double bytes) {
  const Snapshot left = model_.pool.take();
  double* const then = left.values();
  double* const free = own_port(clock.port);
  for (std::size_t lane = 0; lane < model_.lanes(); ++lane) {
    if (row.held[lane] == 0 || row.ends->port.fixed[lane] < 0) continue;
    copy_lane(then, start.values(), lane, model_.lanes(), model_.kernels.planes);
    then[lane] += row.handshake[lane];
    if (model_.kernels.planes > 1)
      then[(model_.latency_first ? 1 : 2) * model_.lanes() + lane] += row.graded * row.handshake[lane];
    occupy(then, lane, then, row, bytes);
    if (then[lane] > free[lane]) copy_lane(free, then, lane, model_.lanes(), model_.kernels.planes);
  }
}

} // namespace timeless::replay
