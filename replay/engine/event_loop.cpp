#include "replay/engine/engine.h"
#include "replay/engine/plain_clocks.h"
#include "replay/engine/trace_error.h"

#include <algorithm>
#include <utility>

/// A turn of a rank: the innermost loop, with those actions in it that make up nearly all of a trace.
namespace timeless::replay {

namespace {

constexpr std::uint32_t budget_among_processes = 64;
// How many actions before it is used a channel is fetched into the caches.
constexpr std::uint32_t channels_ahead = 4;
// How many operations of a turn are fetched before it begins.
constexpr std::uint32_t operations_ahead = 6;

bool is_message(RequestState state) {
  return state == RequestState::sent || state == RequestState::receiving;
}

} // namespace

void Engine::fail_at(RankState& rank, std::uint32_t position, const char* what) {
  rank.position = position;
  fail(what);
}

/// With many ranks, what a turn needs first has left the caches since the rank's last one. What the ranks after the
/// next need is fetched step by step: each step finds there what the one before has fetched.
void Engine::prefetch() const {
  if (const std::uint32_t* number = worklist_.ahead(3)) {
    const auto* rank = reinterpret_cast<const std::byte*>(&ranks_[*number]);
    __builtin_prefetch(rank);
    __builtin_prefetch(rank + 64);
    __builtin_prefetch(&clocks_[*number]);
  }
  if (const std::uint32_t* number = worklist_.ahead(2)) {
    const RankState& rank = ranks_[*number];
    __builtin_prefetch(rank.sequence + rank.position);
    __builtin_prefetch(rank.volume);
    clocks_.prefetch(*number);
    rank.requests.prefetch();
    if (rank.stage != 0) channels_.prefetch(rank.subject);
  }
  if (const std::uint32_t* number = worklist_.ahead(1)) {
    const RankState& rank = ranks_[*number];
    const std::uint32_t end = std::min(rank.size, rank.position + operations_ahead);
    for (std::uint32_t position = rank.position; position < end; ++position)
      __builtin_prefetch(rank.operations + rank.sequence[position]);
  }
  if (const std::uint32_t* number = worklist_.ahead(0)) {
    const RankState& rank = ranks_[*number];
    const std::uint32_t end = std::min(rank.size, rank.position + channels_ahead);
    for (std::uint32_t position = rank.position; position < end; ++position)
      channels_.prefetch(rank.operations[rank.sequence[position]].touches);
  }
}

void Engine::run_turn(std::uint32_t number) {
  RankState& rank = ranks_[number];
  if (rank.several) [[unlikely]]
    return run_thread(number);
  const std::uint32_t budget = remote_ ? std::min(options_.budget, budget_among_processes) : options_.budget;
  for (std::uint32_t left = std::max(budget, 1U); left > 0;) {
    if (rank.position == rank.size && !next_block(rank, number))
      return ranks_[number].several ? run_thread(number) : finish(ranks_[number]);
    const std::uint32_t begin = rank.position;
    const std::uint32_t end = std::min(rank.size, begin + std::min(left, rank.size));
    const bool goes_on = plain_         ? run_stretch<Pace::plain>(rank, number, end)
                         : observation_ ? run_stretch<Pace::observed>(rank, number, end)
                                        : run_stretch<Pace::usual>(rank, number, end);
    if (!goes_on) return;
    left -= rank.position - begin;
  }
  worklist_.push(number);
}

TIMELESS_INLINE inline void Engine::send_fast(RankState& rank, Clocks::Clock& clock, const Operation& operation) {
  clock.overhead += operation.send_overhead;
  clock.copied += operation.bytes;
  const std::uint64_t ticket = channels_.send_made(operation.channel, [&]() TIMELESS_INLINE {
    return Message{.sent = {clock.base, clock.volume * clock.seconds_per_unit, clock.copied, clock.overhead},
                   .bytes = operation.bytes,
                   .receive_overhead = operation.receive_overhead,
                   .row = operation.row};
  });
  const Channel& channel = channels_[operation.channel];
  if (channel.awaited == ticket) wake_receiver(operation.channel);
  if (operation.request != trace::no_request)
    start(rank, operation.request) = {ticket, operation.channel, RequestState::sent};
}

// Calls rather than one large function, whose variables would all live in memory.
[[gnu::noinline]] void Engine::take_fast(Clocks::Clock& clock, std::uint32_t channel_number, std::uint64_t ticket) {
  Channel& channel = channels_[channel_number];
  Message& taken = message(channel, ticket);
  clocks_.take_fast(clock, taken.sent, taken.row, taken.bytes, taken.receive_overhead);
  channels_.remove(channel, ticket, taken);
}

TIMELESS_INLINE inline bool Engine::receive_fast(RankState& rank, Clocks::Clock& clock, const Operation& operation) {
  if (rank.stage == 0) {
    rank.ticket = channels_.post(operation.receive_channel);
    rank.stage = 1;
  }
  if (!has_message(rank, operation.receive_channel, rank.ticket)) return false;
  take_fast(clock, operation.receive_channel, rank.ticket);
  return true;
}

/// Completes requests that are all messages; nothing, when some are not, and the rank does not wait.
[[gnu::noinline]] Engine::Completion Engine::complete_fast(RankState& rank, Clocks::Clock& clock,
                                                           std::span<const trace::RequestId> ids) {
  if (ids.size() > most_together) return Completion::other;
  for (const trace::RequestId id : ids.first(rank.stage)) // found ready before the rank waited, some perhaps not here
    if (!is_message(rank.requests[id].state)) return Completion::other;
  for (; rank.stage < ids.size(); ++rank.stage) {
    const Request& request = rank.requests[ids[rank.stage]];
    if (request.state == RequestState::sent) continue;
    if (request.state != RequestState::receiving) return Completion::other;
    if (!has_message(rank, request.subject, request.ticket)) return Completion::waits;
  }
  Arrived arrived[most_together];
  std::size_t arrivals = 0;
  clocks_.begin_fast(clock);
  for (const trace::RequestId id : ids) {
    const Request& request = rank.requests[id];
    if (request.state != RequestState::receiving) continue;
    Channel& channel = channels_[request.subject];
    Message& taken = message(channel, request.ticket);
    clocks_.add_fast(clock, taken.sent, taken.row, taken.bytes, taken.receive_overhead);
    arrived[arrivals++] = {&channel, &taken, request.ticket};
  }
  if (arrivals > 0) clocks_.take_all_fast(clock);
  for (std::size_t index = 0; index < arrivals; ++index) {
    const auto& [channel, taken, ticket] = arrived[index];
    channels_.remove(*channel, ticket, *taken);
  }
  for (const trace::RequestId id : ids) {
    Request& request = rank.requests[id];
    if (request.state == RequestState::inactive) fail_completed_twice(id);
    request.state = RequestState::inactive;
  }
  return Completion::done;
}

[[gnu::noinline]] Engine::Completion Engine::perform_fast(RankState& rank, Clocks::Clock& clock,
                                                          const Operation& operation) {
  switch (operation.step) {
  case Step::send:
    send_fast(rank, clock, operation);
    return Completion::done;
  case Step::receive:
    return receive_fast(rank, clock, operation) ? Completion::done : Completion::waits;
  case Step::post:
    start(rank, operation.request) = {channels_.post(operation.receive_channel), operation.receive_channel,
                                      RequestState::receiving};
    return Completion::done;
  case Step::complete_one: {
    Request& request = rank.requests[operation.request];
    if (request.state == RequestState::receiving) {
      if (!has_message(rank, request.subject, request.ticket)) return Completion::waits;
      take_fast(clock, request.subject, request.ticket);
    } else if (request.state != RequestState::sent) {
      return Completion::other;
    }
    request.state = RequestState::inactive;
    return Completion::done;
  }
  case Step::complete:
    return complete_fast(rank, clock, {rank.program.requests.data() + operation.first_request, operation.requests});
  default:
    return Completion::other;
  }
}

/// Replays the block's actions up to `end`; false when the rank must wait or has ended.
template <Engine::Pace pace>
bool Engine::run_stretch(RankState& rank, std::uint32_t number, std::uint32_t end) {
  Clocks::Clock& clock = clocks_[number];
  const std::uint32_t* const sequence = rank.sequence;
  const Operation* const operations = rank.operations;
  const std::uint64_t* volume = rank.volume;
  for (std::uint32_t position = rank.position; position < end; ++position) {
    const Operation& operation = operations[sequence[position]];
    if (operation.step == Step::compute) {
      if (volume == rank.volumes_end) fail_at(rank, position, "a computation without a volume");
      clock.volume += static_cast<double>(*volume++);
      if constexpr (pace == Pace::observed) observe(rank, number, position, volume[-1]);
      continue;
    }
    if (position + channels_ahead < rank.size)
      channels_.prefetch(operations[sequence[position + channels_ahead]].touches);
    rank.position = position;
    rank.volume = volume;
    if constexpr (pace == Pace::plain) {
      const Completion completion = perform_fast(rank, clock, operation);
      if (completion == Completion::waits) return false;
      if (completion == Completion::done) {
        rank.stage = 0;
        continue;
      }
    }
    if (operation.step == Step::finalize) {
      if constexpr (pace == Pace::observed) observe(rank, number, position, 0);
      finalize(rank, number);
      return false;
    }
    if (attributor_) attributor_->turn_to(number, sequence[position]);
    if constexpr (pace == Pace::observed) expect(rank, number, operation);
    const bool done = perform(rank, number, operation);
    if (!done) return false;
    if (tracer_) tracer_->look(number, world_rank(number), action(rank));
    if constexpr (pace == Pace::observed) observe(rank, number, position, rank.volume == volume ? 0 : *volume);
    rank.stage = 0;
    volume = rank.volume;
  }
  rank.position = end;
  rank.volume = volume;
  return true;
}

} // namespace timeless::replay
