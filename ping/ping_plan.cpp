#include "ping/ping_plan.h"

#include "base/error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace timeless::ping {

namespace {

constexpr std::uint32_t train_messages = 10;
constexpr std::uint32_t search_repetitions = 3;
// How late a receive comes: this, or so many round trips.
constexpr double least_delay = 1e-3;
constexpr double delay_in_round_trips = 20;
// Of one order of a round, seconds: what takes longer is repeated less often.
constexpr double order_seconds = 0.02;
constexpr std::uint32_t most_repetitions = 5;
constexpr std::uint64_t least_reduced = 64;

constexpr std::array between_two{Experiment::round_trip, Experiment::send,  Experiment::isend,
                                 Experiment::receive,    Experiment::train, Experiment::overlap};
constexpr std::array alone{Experiment::copy, Experiment::reduction};
constexpr std::array of_all{Experiment::barrier,   Experiment::broadcast, Experiment::reduce,
                            Experiment::allreduce, Experiment::gather,    Experiment::allgather,
                            Experiment::alltoall,  Experiment::scatter,   Experiment::reduce_scatter_block,
                            Experiment::scan};
constexpr std::array of_nodes{Experiment::pairs, Experiment::incast};

/// The lowest other rank on the node of rank 0, and the lowest elsewhere.
std::vector<int> peers_of(const std::vector<int>& nodes) {
  std::vector<int> peers;
  for (const bool near : {true, false})
    for (std::size_t rank = 1; rank < nodes.size(); ++rank)
      if ((nodes[rank] == nodes[0]) == near) {
        peers.push_back(static_cast<int>(rank));
        break;
      }
  return peers;
}

} // namespace

PingPlan::PingPlan(const PlanOptions& options, std::vector<int> nodes)
    : options_(options), nodes_(std::move(nodes)), peers_(peers_of(nodes_)), random_(options.seed) {
  if (nodes_.size() < 2)
    throw Error(Failure::usage, "a network is measured between two ranks, and there is one", "",
                "start it with mpirun -np 2, on two hosts for the network between nodes");
  if (options.most_bytes < 1024) throw Error(Failure::usage, "the largest message must be of 1024 bytes or more");
  std::erase_if(options_.sizes, [&](std::uint64_t bytes) { return bytes == 0 || bytes > options_.most_bytes; });
  if (!(options.budget > 0)) throw Error(Failure::usage, "the time for measurements must be above 0");
  for (const int peer : peers_)
    for (const Experiment experiment : {Experiment::delayed_send, Experiment::delayed_isend})
      searches_.push_back({.experiment = experiment, .peer = peer});
}

std::optional<Order> PingPlan::next(const std::vector<Measurement>& last, double now) {
  if (!searched_) learn(last);
  // What a delay has to exceed must be known, roughly, before the search.
  for (const int peer : peers_)
    if (!rough_.contains(peer)) {
      rough_[peer] = {};
      return Order{.experiment = Experiment::round_trip, .second = peer, .bytes = 8, .repetitions = 50};
    } else if (!std::exchange(rough_.at(peer).large_known, true)) {
      return Order{.experiment = Experiment::round_trip, .second = peer, .bytes = large_bytes(), .repetitions = 3};
    }
  if (auto order = next_of_searches(last, now)) return order;
  searched_ = false;
  if (now >= options_.budget) return std::nullopt;
  if (round_.empty()) begin_round();
  const auto [experiment, peer] = round_.back();
  round_.pop_back();
  return drawn(experiment, peer);
}

// ---- eager limits

/// The size to try next: doubled until a message waits, since large ones take long, then half-way.
std::uint64_t PingPlan::probe(const Search& search) const {
  constexpr std::uint64_t first = 1024;
  if (search.waiting == 0) return std::min(std::max(first, 2 * search.eager), options_.most_bytes);
  return search.eager + (search.waiting - search.eager) / 2;
}

Order PingPlan::delayed(const Search& search) const {
  const std::uint64_t bytes = probe(search);
  const double delay =
      std::max({least_delay, delay_in_round_trips * rough_.at(search.peer).latency, 4 * estimate(search.peer, bytes)});
  return {.experiment = search.experiment,
          .second = search.peer,
          .bytes = bytes,
          .repetitions = search_repetitions,
          .gap = delay};
}

std::optional<Order> PingPlan::next_of_searches(const std::vector<Measurement>& last, double now) {
  if (searched_ && search_ < searches_.size() && !last.empty()) {
    Search& search = searches_[search_];
    const auto shortest = std::ranges::min_element(last, {}, &Measurement::seconds);
    const Order& order = shortest->order;
    if (shortest->seconds < order.gap / 2)
      search.eager = order.bytes;
    else
      search.waiting = order.bytes;
    search.done = search.eager == options_.most_bytes || search.waiting - search.eager == 1;
    if (search.done) ++search_;
  }
  // Half of the time is for what else there is to measure.
  if (search_ >= searches_.size() || now >= options_.budget / 2) return std::nullopt;
  searched_ = true;
  return delayed(searches_[search_]);
}

// ---- rounds

void PingPlan::begin_round() {
  const std::set<int> nodes(nodes_.begin(), nodes_.end());
  for (const int peer : peers_)
    for (const Experiment experiment : between_two) {
      round_.emplace_back(experiment, peer);
      // A train without gaps, one with them, and its one message alone.
      if (experiment == Experiment::train) round_.insert(round_.end(), 2, {experiment, peer});
    }
  for (const int peer : peers_)
    round_.emplace_back(Experiment::exchanges, peer);
  for (const Experiment experiment : alone)
    round_.emplace_back(experiment, 0);
  for (const Experiment experiment : of_all)
    round_.emplace_back(experiment, 0);
  if (nodes.size() > 1)
    for (const Experiment experiment : of_nodes)
      round_.emplace_back(experiment, peers_.back());
  std::ranges::shuffle(round_, random_);
}

/// Log-uniform, from 1 byte on, or one of the sizes asked for.
std::uint64_t PingPlan::draw_bytes() {
  constexpr std::uint64_t one_in = 4;
  if (!options_.sizes.empty() && random_() % one_in == 0) return options_.sizes[random_() % options_.sizes.size()];
  // By hand: how the standard's distributions draw differs from library to library.
  const double uniform = static_cast<double>(random_() >> 11U) * 0x1p-53;
  const double exponent = uniform * std::log(static_cast<double>(options_.most_bytes) + 1);
  return std::clamp(static_cast<std::uint64_t>(std::exp(exponent)), std::uint64_t{1}, options_.most_bytes);
}

/// On a slow link, large messages would take all the time: round trips have a twentieth of it, and what sends many
/// messages, or works beside them, less.
std::uint64_t PingPlan::affordable(Experiment experiment, int peer, std::uint64_t bytes) const {
  constexpr double share_of_a_round_trip = 0.05;
  constexpr double share_of_another = 0.02;
  const bool round_trip = experiment == Experiment::round_trip;
  const double most =
      std::max(order_seconds, options_.budget * (round_trip ? share_of_a_round_trip : share_of_another));
  // What one order takes, in messages of its size.
  double messages = 2;
  if (experiment == Experiment::train) messages = 3 * train_messages;
  if (experiment == Experiment::overlap || experiment == Experiment::receive) messages = 5;
  if (experiment >= Experiment::pairs) messages = 2 * static_cast<double>(nodes_.size());
  while (bytes > 1 && messages * estimate(peer == 0 ? peers_.back() : peer, bytes) > most)
    bytes /= 2;
  return bytes;
}

Order PingPlan::drawn(Experiment experiment, int peer) {
  Order order{.experiment = experiment, .second = peer, .bytes = affordable(experiment, peer, draw_bytes())};
  const auto ranks = static_cast<std::uint64_t>(nodes_.size());
  const double seconds = estimate(peer == 0 ? peers_.back() : peer, order.bytes);
  switch (experiment) {
  case Experiment::receive:
    order.gap = std::max(1e-4, 2 * seconds);
    break;
  case Experiment::overlap:
    order.gap = 4 * seconds;
    break;
  case Experiment::train: {
    const std::uint64_t which = random_() % 3;
    order.messages = which == 0 ? 1 : train_messages;
    order.gap = which == 2 ? 2 * seconds : 0;
    break;
  }
  case Experiment::reduction:
  case Experiment::reduce:
  case Experiment::allreduce:
  case Experiment::scan:
    order.bytes = std::max(order.bytes / sizeof(double) * sizeof(double), least_reduced);
    break;
  case Experiment::reduce_scatter_block:
    order.bytes = std::max(order.bytes / ranks / sizeof(double) * sizeof(double), least_reduced);
    break;
  case Experiment::gather:
  case Experiment::allgather:
  case Experiment::alltoall:
  case Experiment::scatter:
    // Of a member's part: all of them together are no larger than the largest message.
    order.bytes = std::max(order.bytes / ranks, std::uint64_t{1});
    break;
  case Experiment::barrier:
    order.bytes = 0;
    break;
  default:
    break;
  }
  const double each = 2 * seconds * order.messages + order.gap * order.messages;
  order.repetitions =
      static_cast<std::uint32_t>(std::clamp(order_seconds / each, 1.0, static_cast<double>(most_repetitions)));
  return order;
}

/// So large that its bytes decide what a message takes.
std::uint64_t PingPlan::large_bytes() const {
  constexpr std::uint64_t large = std::uint64_t{1} << 18U;
  return std::min(large, options_.most_bytes);
}

/// Roughly, the seconds of a message.
double PingPlan::estimate(int peer, std::uint64_t bytes) const {
  const Rough& rough = rough_.at(peer);
  return rough.latency + rough.byte_time * static_cast<double>(bytes);
}

/// From the shortest repetition: others may have waited for their processor.
void PingPlan::learn(const std::vector<Measurement>& measurements) {
  const auto shortest = std::ranges::min_element(measurements, {}, &Measurement::seconds);
  if (shortest == measurements.end() || shortest->order.experiment != Experiment::round_trip) return;
  Rough& rough = rough_[shortest->order.second];
  const double there = shortest->seconds / 2;
  const std::uint64_t bytes = shortest->order.bytes;
  if (bytes <= 64) rough.latency = std::min(rough.latency, there);
  if (bytes >= large_bytes()) rough.byte_time = there / static_cast<double>(bytes);
}

} // namespace timeless::ping
