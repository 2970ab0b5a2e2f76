#include "replay/engine/clocks/clocks.h"

#include "replay/engine/clocks/eager_limits.h"
#include "replay/engine/clocks/plain_clocks.h"

#include <algorithm>
#include <utility>

namespace timeless::replay {

namespace {

std::size_t lanes_for(const Network& network, const ReplayOptions& options) {
  return padded_lanes(network.lanes.size() + (options.ideal ? 1 : 0));
}

} // namespace

Clocks::Clocks(const Network& network, RankRange share, const ReplayOptions& options)
    : kernels_(options.critical_path ? traced_lane_kernels()
                                     : lane_kernels(resolved(options.instruction_set), options.sensitivities)),
      pool_(lanes_for(network, options) * kernels_.planes),
      rows_(network, lanes_for(network, options),
            {eager_limits(network, options), departs_at_once_below(network, options), options.handshake}, options.ideal,
            options.critical_path),
      rates_{rows_.compute_scale(), rows_.memory_copy(), rows_.overhead()},
      alone_(rows_.lanes() == 1 && kernels_.planes == 1), latency_first_(options.overlap == Overlap::latency_first),
      listed_(options.completions == CompletionOrder::as_listed), copies_nonblocking_(options.nonblocking_copy),
      ends_(network.overheads_by_lane || network.ports), special_sends_(ends_ || !copies_nonblocking_),
      counters_(std::make_unique<double[]>(share.size() * counters_per_rank() * rows_.lanes())), clocks_(share.size()) {
  for (std::size_t rank = 0; rank < clocks_.size(); ++rank) {
    Clock& clock = clocks_[rank];
    clock.base = pool_.take();
    std::fill_n(clock.base.values(), lanes() * kernels_.planes, 0.0);
    clock.seconds_per_unit = network.seconds_per_unit(share.begin + static_cast<Rank>(rank));
    clock.counters = counters_.get() + rank * counters_per_rank() * lanes();
  }
  if (options.ports != Ports::none)
    ports_.emplace(network, share, options.ports == Ports::node, lanes() * kernels_.planes);
  else if (options.incast)
    incasts_.resize(share.size());
  watches_ = !incasts_.empty();
}

void Clocks::add_beside(std::size_t rank) {
  const std::size_t length = counters_per_rank() * lanes();
  const Clock& of = clocks_[rank];
  Clock beside{.base = pool_.take(), .seconds_per_unit = of.seconds_per_unit};
  std::fill_n(beside.base.values(), lanes() * kernels_.planes, 0.0);
  beside.counters = further_counters_.emplace_back(std::make_unique<double[]>(length)).get();
  if (of.start > 0) begin_at(beside, of.start);
  clocks_.push_back(std::move(beside));
  if (ports_) ports_->add_like(rank);
  if (watches_) incasts_.emplace_back();
}

void Clocks::settle(Clock& clock) {
  if (clock.volume == 0 && clock.copied == 0 && clock.overhead == 0 && !clock.pending) return;
  advance(clock, [&](const LaneTime& now, double* out) { kernels_.fold(lanes(), rates_, now, out); });
}

void Clocks::meet(Clock& clock, Snapshot& latest_so_far) {
  settle(clock);
  join(clock.base, latest_so_far);
}

void Clocks::join(const Snapshot& arrival, Snapshot& latest_so_far) {
  if (!latest_so_far) {
    latest_so_far = arrival;
    return;
  }
  Snapshot out = latest_so_far.shared() ? pool_.take() : latest_so_far;
  kernels_.latest(lanes(), latest_so_far.values(), arrival.values(), out.values());
  latest_so_far = std::move(out);
}

void Clocks::take(Clock& clock, const Incoming& incoming) {
  if (ports_ && incoming.port) return take_through_port(clock, {&incoming, 1});
  if (watches_ && incoming.port) watch(clock, incoming);
  terms_used_ = 0;
  Snapshot fresh = clock.base.shared() ? pool_.take() : Snapshot();
  double* const out = fresh ? fresh.values() : clock.base.values();
  if (alone_)
    receive_in<Plain>(1, rates_, time(clock), incoming.sent, transfer(incoming), counters(clock), out, 0);
  else
    kernels_.receive(lanes(), rates_, time(clock), incoming.sent, transfer(incoming), counters(clock), out);
  if (fresh) clock.base = std::move(fresh);
  clear_pending(clock);
  do_work(clock, incoming);
}

/// Once something has come.
void Clocks::do_work(Clock& clock, const Incoming& incoming) {
  const LaneWork work = this->work(incoming);
  if (work.amount == 0) return;
  kernels_.add(lanes(), clock.base.values(), work.amount, work.cost, clock.base.values());
  count_work(clock, incoming);
}

void Clocks::count_work(Clock& clock, const Incoming& incoming) const {
  clock.reduced += incoming.reduced_bytes;
  clock.overhead_folded += incoming.overhead;
  if (!ends_ || (!incoming.received && incoming.collective == nullptr)) return;
  for (std::size_t lane = 0; lane < lanes(); ++lane)
    clock.counters[4 * lanes() + lane] += message_seconds(incoming, lane);
}

void Clocks::receive_all(const Clock& clock, LaneTime from, std::span<const Incoming> incoming, double* out) {
  clear_arrivals();
  for (const Incoming& one : incoming)
    add_arrival(one);
  if (!listed_) return receive_arrivals(clock, from, out);
  for (const LaneArrival& one : arrivals_) {
    kernels_.receive(lanes(), rates_, from, one.sent, one.transfer, counters(clock), out);
    if (one.work.amount != 0) kernels_.add(lanes(), out, one.work.amount, one.work.cost, out);
    from = {out};
  }
}

/// As they come.
void Clocks::receive_arrivals(const Clock& clock, const LaneTime& from, double* out) {
  order_matters_ = order_matters_ || working_arrivals_ > 1;
  const auto receive = arrivals_.size() > most_together ? kernels_.receive_many
                       : working_arrivals_ > 0          ? kernels_.receive_and_work
                                                        : kernels_.receive_together;
  receive(lanes(), rates_, from, arrivals_.size(), arrivals_.data(), counters(clock), out);
}

void Clocks::watch(const Clock& clock, const Incoming& incoming) {
  const std::size_t used = terms_used_;
  const LaneTransfer transfer = this->transfer(incoming);
  terms_used_ = used;
  if (transfer.graded == 0) return;
  const double start = time_in<Plain>(lanes(), rates_, incoming.sent, 0).time;
  const double first = transfer.first * transfer.first_cost[0];
  const double second = transfer.second * transfer.second_cost[0];
  incasts_[static_cast<std::size_t>(&clock - clocks_.data())].see(
      start + (latency_first_ ? first : second), start + first + second, latency_first_ ? second : first);
}

void Clocks::take_through_port(Clock& clock, std::span<const Incoming> incoming) {
  clear_arrivals();
  for (const Incoming& one : incoming)
    add_arrival(one);
  advance(clock, [&](const LaneTime& now, double* out) {
    kernels_.receive_through_port(lanes(), rates_, now, arrivals_.size(), arrivals_.data(),
                                  (*ports_)[static_cast<std::size_t>(&clock - clocks_.data())], !latency_first_,
                                  counters(clock), out);
  });
  for (const Incoming& one : incoming)
    count_work(clock, one);
}

void Clocks::take_all(Clock& clock, std::span<const Incoming> incoming) {
  if (incoming.empty()) return;
  if (ports_ && std::ranges::any_of(incoming, &Incoming::port)) return take_through_port(clock, incoming);
  if (incoming.size() == 1) return take(clock, incoming.front());
  for (const Incoming& one : incoming)
    if (watches_ && one.port) watch(clock, one);
  advance(clock, [&](const LaneTime& now, double* out) { receive_all(clock, now, incoming, out); });
  for (const Incoming& one : incoming)
    count_work(clock, one);
}

void Clocks::take_message(Clock& clock, const Moment& sent, std::uint32_t row, double bytes, double overhead) {
  take(clock, {.sent = sent.time(), .row = row, .bytes = bytes, .port = true, .received = true, .overhead = overhead});
}

void Clocks::add_message(const Clock& clock, const Moment& sent, std::uint32_t row, double bytes, double overhead) {
  const Incoming incoming{.sent = sent.time(), .row = row, .bytes = bytes, .port = true};
  if (watches_) watch(clock, incoming);
  if (alone_) return gathered_.add(way_in<Plain>(1, rates_, incoming.sent, transfer(incoming), 0), overhead);
  if (overhead != 0) ++working_arrivals_;
  arrivals_.push_back({incoming.sent, transfer(incoming), {overhead, rows_.overhead()}, false});
}

void Clocks::take_arrivals(Clock& clock) {
  advance(clock, [&](const LaneTime& now, double* out) { receive_arrivals(clock, now, out); });
}

Snapshot Clocks::leave(const Moment& sent, const Moment& posted, std::uint32_t row) {
  Snapshot start = pool_.take();
  kernels_.leave(lanes(), rates_, sent.time(), posted.time(), rows_[row].held, start.values());
  if (const double* const agreement = rows_[row].agreement)
    for (std::size_t lane = 0; lane < lanes(); ++lane)
      start.values()[lane] += agreement[lane];
  return start;
}

void Clocks::depart(Clock& clock, std::span<const Incoming> departing) {
  const Snapshot end = pool_.take();
  receive_all(clock, time(clock), departing, end.values());
  Snapshot out = writable(clock);
  kernels_.advance(lanes(), rates_, time(clock), clock.base.values(), end.values(), out.values());
  clock.base = std::move(out);
}

void Clocks::begin_at(Clock& clock, double start) {
  Snapshot out = writable(clock);
  std::fill_n(out.values(), lanes() * kernels_.planes, 0.0);
  std::fill_n(out.values(), lanes(), start);
  clock.base = std::move(out);
  clock.start = start;
}

void Clocks::reduce(Clock& clock, double bytes) {
  if (bytes == 0) return;
  settle(clock);
  Snapshot out = writable(clock);
  kernels_.add(lanes(), clock.base.values(), bytes, rows_.reduction(), out.values());
  clock.base = std::move(out);
  clock.reduced += bytes;
}

void Clocks::begin_beside(Clock& beside, const Clock& clock, double* counters) const {
  beside = clock;
  beside.counters = counters;
  std::fill_n(counters, counters_per_rank() * lanes(), 0.0);
}

Snapshot Clocks::begin_of(Clock& beside) {
  settle(beside);
  Snapshot begin = pool_.take();
  const double* end = beside.base.values();
  const double* latency = beside.counters + lanes();
  const double* bandwidth = latency + lanes();
  // The path is that to the end: its last parts are in it.
  std::copy_n(end, lanes() * kernels_.planes, begin.values());
  for (std::size_t lane = 0; lane < lanes(); ++lane)
    begin.values()[lane] = end[lane] - latency[lane] - bandwidth[lane];
  return begin;
}

} // namespace timeless::replay
