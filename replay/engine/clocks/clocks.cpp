#include "replay/engine/clocks/clocks.h"

#include "replay/engine/clocks/fast_clocks.h"

#include <algorithm>
#include <utility>

namespace timeless::replay {

Clocks::Clocks(const Network& network, RankRange local_ranks, const ReplayOptions& options)
    : model(network, options), sends(model, options), arrivals_(model, options),
      counters_(std::make_unique<double[]>(local_ranks.size() * model.counters_per_rank() * model.lanes())),
      clocks_(local_ranks.size()) {
  for (std::size_t rank = 0; rank < clocks_.size(); ++rank) {
    Clock& clock = clocks_[rank];
    clock.base = model.pool.take();
    std::fill_n(clock.base.values(), model.values(), 0.0);
    clock.seconds_per_unit = network.seconds_per_unit(local_ranks.begin + static_cast<Rank>(rank));
    clock.counters = counters_.get() + rank * model.counters_per_rank() * model.lanes();
  }
  if (options.ports != Ports::none)
    ports_.emplace(network, local_ranks, options.ports == Ports::node, model.values());
  else if (options.incast)
    incasts_.resize(local_ranks.size());
  watches_ = !incasts_.empty();
}

void Clocks::add_beside(std::size_t rank) {
  const std::size_t length = model.counters_per_rank() * model.lanes();
  const Clock& of = clocks_[rank];
  Clock beside{.base = model.pool.take(), .seconds_per_unit = of.seconds_per_unit};
  std::fill_n(beside.base.values(), model.values(), 0.0);
  beside.counters = further_counters_.emplace_back(std::make_unique<double[]>(length)).get();
  if (of.start > 0) begin_at(beside, of.start);
  clocks_.push_back(std::move(beside));
  if (ports_) ports_->add_like(rank);
  if (watches_) incasts_.emplace_back();
}

void Clocks::settle(Clock& clock) {
  if (clock.volume == 0 && clock.copied == 0 && clock.overhead == 0 && !clock.pending) return;
  advance(clock, [&](const LaneTime& now, double* out) { model.kernels.fold(model.lanes(), model.rates, now, out); });
}

void Clocks::raise_to_clock(Clock& clock, Snapshot& latest_so_far) {
  settle(clock);
  join(clock.base, latest_so_far);
}

void Clocks::join(const Snapshot& arrival, Snapshot& latest_so_far) {
  if (!latest_so_far) {
    latest_so_far = arrival;
    return;
  }
  Snapshot out = latest_so_far.shared() ? model.pool.take() : latest_so_far;
  model.kernels.latest(model.lanes(), latest_so_far.values(), arrival.values(), out.values());
  latest_so_far = std::move(out);
}

void Clocks::take(Clock& clock, const Incoming& incoming) {
  if (ports_ && incoming.port) return take_through_port(clock, {&incoming, 1});
  if (watches_ && incoming.port) watch(clock, incoming);
  Snapshot fresh = clock.base.shared() ? model.pool.take() : Snapshot();
  double* const out = fresh ? fresh.values() : clock.base.values();
  if (model.alone)
    receive_in<TimeOnly>(1, model.rates, model.time(clock), incoming.sent, model.cost(incoming), model.counters(clock),
                         out, 0);
  else
    model.kernels.receive(model.lanes(), model.rates, model.time(clock), incoming.sent, model.cost(incoming),
                          model.counters(clock), out);
  if (fresh) clock.base = std::move(fresh);
  model.clear_pending(clock);
  do_work(clock, incoming);
}

/// Does the work for something that has come.
void Clocks::do_work(Clock& clock, const Incoming& incoming) {
  const LaneWork work = arrivals_.work(incoming);
  if (work.amount == 0) return;
  model.kernels.add(model.lanes(), clock.base.values(), work.amount, work.cost, clock.base.values());
  arrivals_.count_work(clock, incoming);
}

void Clocks::watch(const Clock& clock, const Incoming& incoming) {
  const std::size_t terms = model.terms();
  const LaneTransfer transfer = this->model.transfer(incoming);
  model.end_terms(terms);
  if (transfer.graded == 0) return;
  const double start = time_in<TimeOnly>(model.lanes(), model.rates, incoming.sent, 0).time;
  const double first = transfer.first * transfer.first_cost[0];
  const double second = transfer.second * transfer.second_cost[0];
  incasts_[static_cast<std::size_t>(&clock - clocks_.data())].see(
      start + (model.latency_first ? first : second), start + first + second, model.latency_first ? second : first);
}

void Clocks::take_through_port(Clock& clock, std::span<const Incoming> incoming) {
  arrivals_.clear();
  for (const Incoming& one : incoming)
    arrivals_.add(one);
  advance(clock, [&](const LaneTime& now, double* out) {
    arrivals_.receive_through_port(clock, now, (*ports_)[static_cast<std::size_t>(&clock - clocks_.data())], out);
  });
  for (const Incoming& one : incoming)
    arrivals_.count_work(clock, one);
}

void Clocks::take_all(Clock& clock, std::span<const Incoming> incoming) {
  if (incoming.empty()) return;
  if (ports_ && std::ranges::any_of(incoming, &Incoming::port)) return take_through_port(clock, incoming);
  if (incoming.size() == 1) return take(clock, incoming.front());
  for (const Incoming& one : incoming)
    if (watches_ && one.port) watch(clock, one);
  advance(clock, [&](const LaneTime& now, double* out) { arrivals_.receive_all(clock, now, incoming, out); });
  for (const Incoming& one : incoming)
    arrivals_.count_work(clock, one);
}

void Clocks::take_message(Clock& clock, const Moment& sent, std::uint32_t row, double bytes, double overhead) {
  take(clock, {.sent = sent.time(), .row = row, .bytes = bytes, .port = true, .received = true, .overhead = overhead});
}

void Clocks::add_message(const Clock& clock, const Moment& sent, std::uint32_t row, double bytes, double overhead) {
  const Incoming incoming{.sent = sent.time(), .row = row, .bytes = bytes, .port = true};
  if (watches_) watch(clock, incoming);
  if (model.alone)
    return gathered_.add(way_in<TimeOnly>(1, model.rates, incoming.sent, model.transfer(incoming), 0), overhead);
  arrivals_.add({incoming.sent, model.transfer(incoming), {overhead, model.rows.overhead()}});
}

void Clocks::take_arrivals(Clock& clock) {
  advance(clock, [&](const LaneTime& now, double* out) { arrivals_.receive(clock, now, out); });
}

Snapshot Clocks::leave(const Moment& sent, const Moment& posted, std::uint32_t row) {
  Snapshot start = model.pool.take();
  model.kernels.leave(model.lanes(), model.rates, sent.time(), posted.time(), model.rows[row].held, start.values());
  if (const double* const agreement = model.rows[row].agreement)
    for (std::size_t lane = 0; lane < model.lanes(); ++lane)
      start.values()[lane] += agreement[lane];
  return start;
}

void Clocks::depart(Clock& clock, std::span<const Incoming> departing) {
  const Snapshot end = model.pool.take();
  arrivals_.receive_all(clock, model.time(clock), departing, end.values());
  Snapshot out = model.writable(clock);
  model.kernels.advance(model.lanes(), model.rates, model.time(clock), clock.base.values(), end.values(), out.values());
  clock.base = std::move(out);
}

void Clocks::begin_at(Clock& clock, double start) {
  Snapshot out = model.writable(clock);
  std::fill_n(out.values(), model.values(), 0.0);
  std::fill_n(out.values(), model.lanes(), start);
  clock.base = std::move(out);
  clock.start = start;
}

void Clocks::reduce(Clock& clock, double bytes) {
  if (bytes == 0) return;
  settle(clock);
  Snapshot out = model.writable(clock);
  model.kernels.add(model.lanes(), clock.base.values(), bytes, model.rows.reduction(), out.values());
  clock.base = std::move(out);
  clock.reduced += bytes;
}

void Clocks::begin_beside(Clock& beside, const Clock& clock, double* counters) const {
  beside = clock;
  beside.counters = counters;
  std::fill_n(counters, model.counters_per_rank() * model.lanes(), 0.0);
}

void Clocks::set_node(Clock& clock, double node) {
  Snapshot out = model.writable(clock);
  Traced now = Traced::load(clock.base.values(), 1, 0);
  now.node = node;
  now.store(out.values(), 1, 0);
  clock.base = std::move(out);
}

Snapshot Clocks::begin_of(Clock& beside) {
  settle(beside);
  Snapshot begin = model.pool.take();
  const double* end = beside.base.values();
  const double* latency = beside.counters + model.lanes();
  const double* bandwidth = latency + model.lanes();
  // The path is that to the end: its last parts are in it.
  std::copy_n(end, model.values(), begin.values());
  for (std::size_t lane = 0; lane < model.lanes(); ++lane)
    begin.values()[lane] = end[lane] - latency[lane] - bandwidth[lane];
  return begin;
}

} // namespace timeless::replay
