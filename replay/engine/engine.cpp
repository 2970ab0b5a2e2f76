#include "replay/engine/engine.h"

#include "replay/engine/trace_error.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace timeless::replay {

using trace::ActionKind;
using trace::Rank;
using trace::RequestId;

namespace {

constexpr std::uint64_t actions_between_reports = 1U << 20U;
constexpr const char* advice = "the trace contradicts itself: 'timeless check' lists what is wrong with it";

} // namespace

Engine::Engine(const trace::Source& source, Network& network, const ReplayOptions& options, Remote* remote, bool care)
    : source_(source), network_(network), options_(options), library_(network.library()), remote_(remote),
      share_(remote ? remote->share() : RankRange{0, source.run().size}),
      care_(care || departs_at_once_below(network, options) != no_eager_limit ||
            std::ranges::any_of(eager_limits(network, options), [](Bytes limit) { return limit != no_eager_limit; })),
      communicators_(source.run()), clocks_(network, share_, options), channels_(share_, remote),
      matching_(communicators_, share_), one_sided_(share_.size()), files_(share_.size()), not_modelled_(share_.size()),
      compiler_(source.run(), network, communicators_, channels_, clocks_.rows(), care_, options),
      ranks_(share_.size()), worklist_(ranks_.size()), collective_links_(communicators_.size()),
      lookahead_(source, share_, care_), strictest_(eager_limits(network, options)),
      deadlocks_(network.lanes().size()) {
  if (remote_) remote_->set_clocks(clocks_.pool().values(), clocks_.rows());
  for (std::uint32_t number = 0; number < ranks_.size(); ++number) {
    ranks_[number].stream = source.open(world_rank(number));
    worklist_.push(number);
  }
  if (options.clock == StartClock::global) begin_as_recorded();
  if (options.attribute != AttributeBy::nothing) attributor_.emplace(options, clocks_, ranks_.size());
  if (options.observer != nullptr) {
    observation_.emplace(*options.observer, source.run(), network.lanes(), ranks_.size());
    for (std::uint32_t number = 0; number < ranks_.size(); ++number)
      if (const double start = clocks_[number].start; start > 0) observation_->start(number, world_rank(number), start);
  }
  if (options.critical_path) tracer_.emplace(clocks_, ranks_.size(), options);
  if (tracer_ && remote_) remote_->trace_paths(*tracer_);
  plain_ = clocks_.plain() && !care_ && !attributor_ && !observation_ && !tracer_;
}

/// Each clock begins with its first action's recorded time.
void Engine::begin_as_recorded() {
  for (std::uint32_t number = 0; number < ranks_.size(); ++number) {
    const auto stream = source_.open(world_rank(number));
    trace::ActionBlock block;
    do
      if (!stream->next(block)) break;
    while (block.size() == 0);
    if (block.size() == 0) continue;
    stream->read_times(block);
    if (block.times().empty())
      throw Error(Failure::usage, "a global clock needs the times of the recording, and the trace holds none",
                  fmt::format("rank {}", world_rank(number)),
                  "record with --timestamps, or let every rank's clock begin at 0");
    constexpr double nanosecond = 1e-9;
    clocks_.begin_at(clocks_[number], static_cast<double>(block.times().front().entry) * nanosecond);
  }
}

Result Engine::run() {
  std::uint64_t total = 0;
  for (const trace::RankRecord& record : source_.run().ranks)
    total += record.actions;
  std::uint64_t next_report = actions_between_reports;
  constexpr std::uint32_t many_turns = 1U << 12U;
  while (take_turns(many_turns) || give_up_strictest_lanes())
    if (options_.progress && actions_ >= next_report) {
      options_.progress(actions_, total);
      next_report = actions_ + actions_between_reports;
    }
  const std::vector<Ending> endings{ending()};
  const std::string cut = require_ended(
      source_.run(), last_deadlock_ ? *last_deadlock_ : diagnose(source_.run(), communicators_, endings), endings);
  if (options_.progress) options_.progress(actions_, total);
  Result all = result();
  Findings found = findings();
  if (!cut.empty()) found.notes.insert(cut);
  tell(source_.run(), found, all);
  return all;
}

bool Engine::take_turns(std::uint32_t turns) {
  run_agents();
  for (; turns > 0 && someone_can_go_on(); --turns) {
    const std::uint32_t number = next_turn();
    prefetch();
    try {
      run_turn(number);
      if (!ready_agents_.empty()) run_agents();
    } catch (const ReplayProblem&) {
      throw;
    } catch (const Error& error) {
      if (error.failure() != Failure::invalid_input || !error.where().empty()) throw;
      throw Error(Failure::invalid_input, error.description(), where(number), advice);
    }
  }
  if (!someone_can_go_on() && finished_ < ranks_.size()) look_for_threads();
  return someone_can_go_on();
}

/// The calling thread waits for its workers: a burst takes as long as the longest of them.
void Engine::compute_beside_workers(RankState& rank, Clocks::Clock& clock, Step step, double factor) {
  if (rank.volume == rank.volumes_end) fail("a computation without a volume");
  const std::uint64_t volume = *rank.volume++;
  if (step == Step::compute_beside_workers || step == Step::compute_in_kernel) {
    clock.volume += factor * static_cast<double>(volume);
    rank.last_computation = volume;
  } else if (step == Step::workers) {
    if (volume > rank.last_computation) clock.volume += factor * static_cast<double>(volume - rank.last_computation);
    rank.last_computation = 0;
  }
}

void Engine::note_last_computation(RankState& rank) {
  if (rank.size == 0) return;
  const ActionKind last = dictionary(rank)[rank.sequence[rank.size - 1]].kind;
  if (last == ActionKind::compute)
    rank.last_computation = rank.volumes_end[-1];
  else if (last != ActionKind::workers_sum)
    rank.last_computation = 0;
}

/// False when there is none, or the rank has become several threads.
bool Engine::next_block(RankState& rank, std::uint32_t number) {
  note_last_computation(rank);
  do {
    rank.actions_before += rank.size;
    actions_ += rank.size;
    rank.position = rank.size = 0;
    if (!rank.stream->next(rank.block)) return false;
    rank.size = static_cast<std::uint32_t>(rank.block.size());
  } while (rank.size == 0);
  const auto sequence = rank.block.sequence();
  const std::uint64_t mark = rank.block.dictionary_mark();
  const bool known = mark != 0 && mark == rank.program.mark;
  if (!known) {
    compiler_.compile(rank.block, world_rank(number), rank.program);
    rank.program.mark = mark;
    if (rank.program.threads) {
      found_threads(number);
      return false;
    }
  }
  if (attributor_) attributor_->enter_block(number, rank.block.dictionary(), sequence, known, rank.program);
  // A marked dictionary comes from a decoder that has looked.
  if (mark == 0 && *std::ranges::max_element(sequence) >= rank.program.operations.size())
    fail("a block's sequence goes beyond its dictionary");
  rank.sequence = sequence.data();
  rank.operations = rank.program.operations.data();
  rank.volume = rank.block.volumes().data();
  rank.volumes_end = rank.volume + rank.block.volumes().size();
  if (!rank.program.unmodelled.empty()) count_not_modelled(rank.program, rank.block, number);
  return true;
}

bool Engine::perform(RankState& rank, std::uint32_t number, const Operation& operation) {
  switch (operation.step) {
  case Step::compute:
  case Step::finalize:
  case Step::nothing:
    return true;
  case Step::compute_in_kernel:
  case Step::compute_beside_workers:
  case Step::skip_volume:
  case Step::workers:
    compute_beside_workers(rank, clocks_[number], operation.step, operation.factor());
    return true;
  case Step::send:
    send(rank, number, operation);
    return true;
  case Step::receive:
    return receive(rank, number, operation);
  case Step::send_rendezvous:
    return send_rendezvous(rank, number, operation);
  case Step::receive_rendezvous:
    if (rank.stage == 0) {
      rank.ticket = post_rendezvous(operation.receive_channel, posted_now(number));
      rank.stage = 1;
    }
    return receive(rank, number, operation);
  case Step::post_rendezvous:
    start_receive_rendezvous(rank, number, operation);
    return true;
  case Step::exchange:
    return care_ ? exchange_rendezvous(rank, number, operation) : exchange(rank, number, operation);
  case Step::probe:
    return probe(rank, number, operation);
  case Step::complete_one:
    return complete_one(rank, number, operation.request);
  case Step::complete:
    return complete_all(rank, number, {rank.program.requests.data() + operation.first_request, operation.requests});
  case Step::meet:
    return meet(rank, number, rank.program.calls[operation.call]);
  case Step::post: {
    Request& request = start(rank, operation.request);
    request = {channels_.post(operation.receive_channel), operation.receive_channel, RequestState::receiving};
    return true;
  }
  case Step::post_wildcard:
    post_wildcard(rank, number, operation);
    return true;
  case Step::start_instance:
    start_instance(rank, number, operation);
    return true;
  case Step::schedule:
    return carry_out(rank, number, operation);
  case Step::start_schedule:
    start_agent(rank, number, operation);
    return true;
  case Step::start_nothing:
    start(rank, operation.request).state = RequestState::done;
    return true;
  case Step::one_sided:
    return one_sided(rank, number, operation);
  case Step::file:
    return file(rank, number, operation);
  case Step::cancel:
    cancel(rank, number, operation.request);
    return true;
  case Step::release:
    release(rank, operation.request);
    return true;
  case Step::resolve:
    // Its receive has known its source since it was posted. Where there is none, looking ahead refuses it.
    lookahead_.look_ahead(rank_number(number));
    return true;
  case Step::invalid:
    fail(rank.program.problems[operation.call]);
  }
  return true;
}

// ---- messages

inline void Engine::send(RankState& rank, std::uint32_t number, const Operation& operation) {
  Clocks::Clock& clock = clocks_[number];
  clocks_.pay_for_send(clock, operation.row, operation.overhead, operation.bytes, operation.send_overhead);
  if (tracer_) tracer_->depart(number, world_rank(number), action(rank), PathTracer::Kind::message);
  const std::uint64_t ticket =
      channels_.send(operation.channel, {.sent = clocks_.set_off(clock, operation.row, operation.bytes),
                                         .bytes = operation.bytes,
                                         .receive_overhead = operation.receive_overhead,
                                         .row = operation.row});
  const Channel& channel = channels_[operation.channel];
  if (channel.awaited == ticket) wake_receiver(operation.channel);
  if (operation.step == Step::send && operation.request != trace::no_request)
    start(rank, operation.request) = {ticket, operation.channel, RequestState::sent};
}

inline void Engine::take_message(std::uint32_t number, Channel& channel, std::uint64_t ticket) {
  Clocks::Clock& clock = clocks_[number];
  Message& taken = message(channel, ticket);
  clocks_.take(clock, incoming(taken));
  channels_.remove(channel, ticket, taken);
}

bool Engine::receive(RankState& rank, std::uint32_t number, const Operation& operation) {
  if (rank.stage == 0) {
    rank.ticket = channels_.post(operation.receive_channel);
    rank.stage = 1;
  }
  if (!has_message(rank, operation.receive_channel, rank.ticket)) return false;
  take_message(number, channels_[operation.receive_channel], rank.ticket);
  return true;
}

bool Engine::exchange(RankState& rank, std::uint32_t number, const Operation& operation) {
  const bool receives = operation.receive_channel != no_channel;
  if (rank.stage == 0 && operation.channel != no_channel) send(rank, number, operation);
  if (operation.request != trace::no_request) {
    Request& request = start(rank, operation.request);
    request = {.state = RequestState::done};
    if (receives)
      request = {channels_.post(operation.receive_channel), operation.receive_channel, RequestState::receiving};
    return true;
  }
  return !receives || receive(rank, number, operation);
}

bool Engine::probe(RankState& rank, std::uint32_t number, const Operation& operation) {
  if (rank.stage == 0) {
    rank.ticket = channels_.next_ticket(operation.receive_channel);
    rank.stage = 1;
  }
  if (!has_message(rank, operation.receive_channel, rank.ticket)) return false;
  const Message& found = message(channels_[operation.receive_channel], rank.ticket);
  clocks_.take(clocks_[number], {.sent = found.sent.time(), .row = clocks_.rows()[found.row].envelope, .constants = 0});
  return true;
}

// ---- requests

inline bool Engine::ready(RankState& rank, RequestId id) {
  const Request request = rank.requests[id];
  switch (request.state) {
  case RequestState::inactive:
    fail(fmt::format("a completion of request {}, which is not active", id));
  case RequestState::unresolved:
    fail(fmt::format("a completion of request {}, a receive whose source is unknown", id));
  case RequestState::receiving:
    return has_message(rank, request.subject, request.ticket);
  case RequestState::collective:
  case RequestState::file:
    return is_complete(rank, request.subject);
  case RequestState::leaving:
    return may_go_on(rank, request.subject);
  case RequestState::exchanging:
    return has_message(rank, handshakes_[request.subject].receive_channel, request.ticket) &&
           may_go_on(rank, request.subject);
  case RequestState::agent:
    return has_ended(rank, request.subject);
  case RequestState::sent:
  case RequestState::done:
  case RequestState::transfer:
  case RequestState::file_transfer:
    break;
  }
  return true;
}

inline bool Engine::complete_one(RankState& rank, std::uint32_t number, RequestId id) {
  if (!ready(rank, id)) return false;
  const Request request = std::exchange(rank.requests[id], {});
  if (request.state == RequestState::receiving) take_message(number, channels_[request.subject], request.ticket);
  if (request.state == RequestState::collective) take_instance(number, request.subject);
  if (request.state == RequestState::leaving || request.state == RequestState::exchanging)
    complete_ends(number, request);
  if (request.state == RequestState::agent) {
    clocks_.take(clocks_[number], incoming(agents_[request.subject]));
    dismiss(request.subject);
  }
  if (comes_later(request.state)) complete_other(number, request);
  return true;
}

/// Lets incoming_ be what the requests stand for, all of them ready.
bool Engine::gather(RankState& rank, std::span<const RequestId> ids) {
  incoming_.clear();
  std::size_t departures = 0;
  bool others = false;
  for (const RequestId id : ids) {
    const Request& request = rank.requests[id];
    if (request.state == RequestState::receiving)
      incoming_.push_back(incoming(message(channels_[request.subject], request.ticket)));
    else if (request.state == RequestState::collective)
      incoming_.push_back(incoming(matching_[request.subject]));
    else if (request.state == RequestState::leaving || request.state == RequestState::exchanging)
      departures += gather_ends(request);
    else if (request.state == RequestState::agent)
      incoming_.push_back(incoming(agents_[request.subject]));
    else
      others = others || comes_later(request.state);
  }
  only_departures_ = departures > 0 && departures == incoming_.size();
  return others;
}

bool Engine::complete_all(RankState& rank, std::uint32_t number, std::span<const RequestId> ids) {
  for (; rank.stage < ids.size(); ++rank.stage) {
    const Request& request = rank.requests[ids[rank.stage]];
    // The common cases without further ado.
    if (request.state == RequestState::sent) continue;
    if (request.state == RequestState::receiving && channels_[request.subject].has(request.ticket)) continue;
    if (!ready(rank, ids[rank.stage])) return false;
  }
  const bool others = gather(rank, ids);
  Clocks::Clock& clock = clocks_[number];
  if (only_departures_)
    clocks_.depart(clock, incoming_);
  else
    clocks_.take_all(clock, incoming_);
  if (others) complete_others(rank, number, ids);
  for (const RequestId id : ids) {
    Request& request = rank.requests[id];
    switch (request.state) {
    case RequestState::receiving: {
      Channel& channel = channels_[request.subject];
      message(channel, request.ticket); // one that is there
      channels_.remove(channel, request.ticket);
      break;
    }
    case RequestState::collective:
      matching_.leave(request.subject);
      break;
    case RequestState::leaving:
    case RequestState::exchanging:
      forget_ends(clock, request);
      break;
    case RequestState::agent:
      dismiss(request.subject);
      break;
    case RequestState::inactive:
      fail_completed_twice(id);
    default:
      break;
    }
    request.state = RequestState::inactive;
  }
  return true;
}

void Engine::fail_completed_twice(RequestId id) {
  fail(fmt::format("request {} is completed twice at once", id));
}

// ---- beginning and end

void Engine::finalize(RankState& rank, std::uint32_t number) {
  if (rank.position + 1 < rank.size)
    ++rank.position;
  else if (!next_block(rank, number) && !ranks_[number].several)
    return finish(rank);
  fail("an action after MPI_Finalize");
}

void Engine::finish(RankState& rank) {
  rank.finished = true;
  ++finished_;
}
} // namespace timeless::replay
