#include "replay/engine/clocks/arrivals.h"

namespace timeless::replay {

/// Returns the seconds of receiving a message, or those of a collective.
double Arrivals::seconds(const Incoming& incoming, std::size_t lane) const {
  const EndsRow& ends = *model_.rows[incoming.row].ends;
  const auto seconds = [&](const SecondsRow& row, double bytes) {
    return row.fixed[lane] + bytes * row.per_byte[lane];
  };
  if (incoming.collective == nullptr) return seconds(ends.receive, incoming.bytes);
  const CollectiveCost& cost = *incoming.collective;
  const auto bytes = static_cast<double>(whole_bytes(cost.message_size()));
  return cost.sends * seconds(ends.send, bytes) + cost.nonblocking_sends * seconds(ends.nonblocking_send, bytes) +
         cost.receives * seconds(ends.receive, bytes);
}

/// Returns the work of receiving a message.
LaneWork Arrivals::work_by_lane(const Incoming& incoming) {
  double* const all = model_.term();
  for (std::size_t lane = 0; lane < model_.lanes(); ++lane)
    all[lane] = incoming.overhead * model_.rates.overhead[lane] + seconds(incoming, lane);
  return {1, all};
}

/// Returns the overheads of its messages and its arithmetic.
LaneWork Arrivals::work_of_collective(const Incoming& incoming) {
  if (!model_.ends && incoming.overhead == 0) return {incoming.reduced_bytes, model_.rows.reduction()};
  double* const all = model_.term();
  for (std::size_t lane = 0; lane < model_.lanes(); ++lane) {
    all[lane] =
        incoming.overhead * model_.rates.overhead[lane] + incoming.reduced_bytes * model_.rows.reduction()[lane];
    if (model_.ends) all[lane] += seconds(incoming, lane);
  }
  return {1, all};
}

void Arrivals::count_work(Clock& clock, const Incoming& incoming) const {
  clock.reduced += incoming.reduced_bytes;
  clock.overhead_folded += incoming.overhead;
  if (!model_.ends || (!incoming.received && incoming.collective == nullptr)) return;
  for (std::size_t lane = 0; lane < model_.lanes(); ++lane)
    clock.counters[4 * model_.lanes() + lane] += seconds(incoming, lane);
}

void Arrivals::receive_all(const Clock& clock, LaneTime from, std::span<const Incoming> incoming, double* out) {
  clear();
  for (const Incoming& one : incoming)
    add(one);
  if (!listed_) return receive(clock, from, out);
  for (const LaneArrival& one : arrivals_) {
    model_.kernels.receive(model_.lanes(), model_.rates, from, one.sent, one.transfer, model_.counters(clock), out);
    if (one.work.amount != 0) model_.kernels.add(model_.lanes(), out, one.work.amount, one.work.cost, out);
    from = {out};
  }
}

void Arrivals::receive(const Clock& clock, const LaneTime& from, double* out) {
  order_matters_ = order_matters_ || working_ > 1;
  const auto receive = arrivals_.size() > most_together ? model_.kernels.receive_many
                       : working_ > 0                   ? model_.kernels.receive_and_work
                                                        : model_.kernels.receive_together;
  receive(model_.lanes(), model_.rates, from, arrivals_.size(), arrivals_.data(), model_.counters(clock), out);
}

void Arrivals::receive_through_port(const Clock& clock, const LaneTime& from, const LaneEntrance& port, double* out) {
  model_.kernels.receive_through_port(model_.lanes(), model_.rates, from, arrivals_.size(), arrivals_.data(), port,
                                      !model_.latency_first, model_.counters(clock), out);
}

} // namespace timeless::replay
