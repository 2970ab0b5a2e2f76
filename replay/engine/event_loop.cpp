#include "replay/engine/core/messages.h"
#include "replay/engine/engine.h"
#include "replay/engine/observed_actions.h"

#include <algorithm>
#include <utility>

/// The event loop runs a rank until it must wait or its budget is spent: the innermost loop, with those actions in it
/// that make up nearly all of a trace.
namespace timeless::replay {

namespace {

// How many actions before it is used a channel is fetched into the caches.
constexpr std::uint32_t channels_ahead = 4;
// How many operations of a rank are fetched before it is run.
constexpr std::uint32_t operations_ahead = 6;

bool is_message(RequestState state) {
  return state == RequestState::sent || state == RequestState::receiving;
}

/// Returns true when nothing of a block just read is left to be replayed.
bool passed_over(RankState& rank) {
  if (rank.to_skip < rank.size || rank.size == 0) return rank.size == 0;
  rank.to_skip -= rank.size;
  return true;
}

[[noreturn]] void fail_at(RankState& rank, std::uint32_t position, const char* what) {
  rank.position = position;
  fail(what);
}

/// What came of an action on the fast path; `other`: it cannot replay this one.
enum class Completion : std::uint8_t { done, waits, other };

/// A message that is being taken, and where it stands.
struct Arrived {
  Channel* channel;
  Message* message;
  std::uint64_t ticket;
};

/// Completes requests that are all messages; nothing, when some are not, and the rank does not wait.
[[gnu::noinline]] Completion complete_fast(Core& core, RankState& rank, Clock& clock,
                                           std::span<const trace::RequestId> ids) {
  if (ids.size() > most_together) return Completion::other;
  for (const trace::RequestId id : ids.first(rank.stage)) // found ready before the rank waited, some perhaps not here
    if (!is_message(rank.requests[id].state)) return Completion::other;
  for (; rank.stage < ids.size(); ++rank.stage) {
    const Request& request = rank.requests[ids[rank.stage]];
    if (request.state == RequestState::sent) continue;
    if (request.state != RequestState::receiving) return Completion::other;
    if (!has_message(core, rank, request.subject, request.ticket)) return Completion::waits;
  }
  Arrived arrived[most_together];
  std::size_t arrivals = 0;
  core.clocks.begin_fast(clock);
  for (const trace::RequestId id : ids) {
    const Request& request = rank.requests[id];
    if (request.state != RequestState::receiving) continue;
    Channel& channel = core.channels[request.subject];
    Message& taken = message_of(channel, request.ticket);
    core.clocks.add_fast(clock, taken.sent, taken.row, taken.bytes, taken.receive_overhead);
    arrived[arrivals++] = {&channel, &taken, request.ticket};
  }
  if (arrivals > 0) core.clocks.take_all_fast(clock);
  for (std::size_t index = 0; index < arrivals; ++index) {
    const auto& [channel, taken, ticket] = arrived[index];
    core.channels.remove(*channel, ticket, *taken);
  }
  for (const trace::RequestId id : ids) {
    Request& request = rank.requests[id];
    if (request.state == RequestState::inactive) Completions::fail_completed_twice(id);
    request.state = RequestState::inactive;
  }
  return Completion::done;
}

[[gnu::noinline]] Completion perform_fast(Core& core, RankState& rank, std::uint32_t number, Clock& clock,
                                          const Operation& operation) {
  switch (operation.step) {
  case Step::send:
    send<Pace::fast>(core, rank, number, clock, operation);
    return Completion::done;
  case Step::receive:
    return receive<Pace::fast>(core, rank, clock, operation) ? Completion::done : Completion::waits;
  case Step::post:
    post(core, rank, operation);
    return Completion::done;
  case Step::complete_one: {
    Request& request = rank.requests[operation.request];
    if (request.state == RequestState::receiving) {
      if (!has_message(core, rank, request.subject, request.ticket)) return Completion::waits;
      take<Pace::fast>(core, clock, request.subject, request.ticket);
    } else if (request.state != RequestState::sent) {
      return Completion::other;
    }
    request.state = RequestState::inactive;
    return Completion::done;
  }
  case Step::complete:
    return complete_fast(core, rank, clock,
                         {rank.program.requests.data() + operation.first_request, operation.requests});
  default:
    return Completion::other;
  }
}

} // namespace

/// Fetches what the ranks after the next need, step by step: each step finds there what the one before has fetched.
/// With many ranks, what a rank needs first has left the caches since it was last run.
void Engine::prefetch() const {
  if (const std::uint32_t* number = core_.worklist.ahead(3)) {
    const auto* rank = reinterpret_cast<const std::byte*>(&core_.ranks[*number]);
    __builtin_prefetch(rank);
    __builtin_prefetch(rank + 64);
    __builtin_prefetch(&core_.clocks[*number]);
  }
  if (const std::uint32_t* number = core_.worklist.ahead(2)) {
    const RankState& rank = core_.ranks[*number];
    __builtin_prefetch(rank.sequence + rank.position);
    __builtin_prefetch(rank.volume);
    core_.clocks.prefetch(*number);
    rank.requests.prefetch();
    if (rank.stage != 0) core_.channels.prefetch(rank.subject);
  }
  if (const std::uint32_t* number = core_.worklist.ahead(1)) {
    const RankState& rank = core_.ranks[*number];
    const std::uint32_t end = std::min(rank.size, rank.position + operations_ahead);
    for (std::uint32_t position = rank.position; position < end; ++position)
      __builtin_prefetch(rank.operations + rank.sequence[position]);
  }
  if (const std::uint32_t* number = core_.worklist.ahead(0)) {
    const RankState& rank = core_.ranks[*number];
    const std::uint32_t end = std::min(rank.size, rank.position + channels_ahead);
    for (std::uint32_t position = rank.position; position < end; ++position)
      core_.channels.prefetch(rank.operations[rank.sequence[position]].touches);
  }
}

void Engine::run_rank(std::uint32_t number) {
  RankState& rank = core_.ranks[number];
  if (rank.several) [[unlikely]]
    return run_thread(number);
  for (std::uint32_t left = core_.budget(); left > 0;) {
    if (rank.position == rank.stop) {
      if (rank.action() == rank.cut) return steady_.park(number);
      if (!next_block(rank, number))
        return core_.ranks[number].several ? run_thread(number) : core_.finish(core_.ranks[number]);
      continue;
    }
    const std::uint32_t begin = rank.position;
    const std::uint32_t end = std::min(rank.stop, begin + std::min(left, rank.size));
    const bool goes_on = fast_                           ? run_actions<Pace::fast>(rank, number, end)
                         : core_.explanation.observation ? run_actions<Pace::observed>(rank, number, end)
                                                         : run_actions<Pace::usual>(rank, number, end);
    if (!goes_on) return;
    left -= rank.position - begin;
  }
  core_.worklist.push(number);
}

/// Begins the rank's next block. Returns false when there is none, or the rank has become several threads.
bool Engine::next_block(RankState& rank, std::uint32_t number) {
  auto& attributor = core_.explanation.attributor;
  if (attributor) attributor->count_to(number, rank.whole_sequence(), rank.size);
  rank.note_last_computation();
  do {
    rank.actions_before += rank.size;
    core_.actions += rank.size;
    rank.position = rank.size = rank.stop = 0;
    if (!rank.stream->next(rank.block)) return false;
    rank.size = static_cast<std::uint32_t>(rank.block.size());
  } while (passed_over(rank));
  const auto sequence = rank.block.sequence();
  const std::uint64_t mark = rank.block.dictionary_mark();
  const bool known = mark != 0 && mark == rank.program.mark;
  if (!known) {
    core_.compiler.compile(rank.block, core_.world_rank(number), rank.program);
    rank.program.mark = mark;
    if (rank.program.threads) {
      steady_.give_up("ranks have several threads");
      teams_.make_threads(number);
      return false;
    }
  }
  if (attributor) attributor->enter_block(number, rank.block.dictionary(), known, rank.program);
  // A marked dictionary comes from a decoder that has looked.
  if (mark == 0 && *std::ranges::max_element(sequence) >= rank.program.operations.size())
    fail("a block's sequence goes beyond its dictionary");
  rank.replay(sequence, rank.block.volumes());
  rank.stop = static_cast<std::uint32_t>(std::min<std::uint64_t>(rank.cut - rank.actions_before, rank.size));
  rank.pass_over(static_cast<std::uint32_t>(std::exchange(rank.to_skip, 0)));
  if (attributor) attributor->pass_to(number, rank.position);
  steady_.begin_block(number, known);
  core_.count_not_modelled(rank.program, rank.block, number);
  return true;
}

/// Ends a rank whose last action this is; throws where another follows.
void Engine::finalize(RankState& rank, std::uint32_t number) {
  if (rank.position + 1 < rank.size)
    ++rank.position;
  else if (!next_block(rank, number) && !core_.ranks[number].several)
    return core_.finish(rank);
  fail("an action after MPI_Finalize");
}

/// Replays the block's actions up to `end`; false when the rank must wait or has ended.
template <Pace pace>
bool Engine::run_actions(RankState& rank, std::uint32_t number, std::uint32_t end) {
  Clock& clock = core_.clocks[number];
  const std::uint32_t* const sequence = rank.sequence;
  const Operation* const operations = rank.operations;
  const std::uint64_t* volume = rank.volume;
  Explanation& explanation = core_.explanation;
  for (std::uint32_t position = rank.position; position < end; ++position) {
    const Operation& operation = operations[sequence[position]];
    if (operation.step == Step::compute) {
      if (volume == rank.volumes_end) fail_at(rank, position, "a computation without a volume");
      clock.volume += static_cast<double>(*volume++);
      if constexpr (pace == Pace::observed) observe(core_, rank, number, position, volume[-1]);
      continue;
    }
    if (position + channels_ahead < rank.size)
      core_.channels.prefetch(operations[sequence[position + channels_ahead]].touches);
    rank.position = position;
    rank.volume = volume;
    if constexpr (pace == Pace::fast) {
      const Completion completion = perform_fast(core_, rank, number, clock, operation);
      if (completion == Completion::waits) return false;
      if (completion == Completion::done) {
        rank.stage = 0;
        continue;
      }
    }
    if (operation.step == Step::finalize) {
      if constexpr (pace == Pace::observed) observe(core_, rank, number, position, 0);
      finalize(rank, number);
      return false;
    }
    if (explanation.attributor) explanation.attributor->switch_to(number, sequence[position]);
    if constexpr (pace == Pace::observed) expect(core_, rendezvous_, rank, number, operation);
    const bool done = perform(rank, number, operation);
    if (!done) return false;
    core_.look(number);
    if constexpr (pace == Pace::observed) observe(core_, rank, number, position, rank.volume == volume ? 0 : *volume);
    rank.stage = 0;
    volume = rank.volume;
  }
  rank.position = end;
  rank.volume = volume;
  return true;
}

} // namespace timeless::replay
