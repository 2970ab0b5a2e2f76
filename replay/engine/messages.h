#pragma once

#include "replay/engine/clocks/plain_clocks.h"
#include "replay/engine/engine.h"

/// An eager message, from its send until it is taken. All paces share the code; Pace::plain leaves out what costs
/// nothing there.
namespace timeless::replay {

/// Puts the message into its channel, and wakes the receiver if it waits for this one.
template <Pace pace>
TIMELESS_INLINE inline void Engine::send(RankState& rank, std::uint32_t number, Clock& clock,
                                         const Operation& operation) {
  core_.pay<pace>(clock, operation);
  if constexpr (pace != Pace::plain) core_.depart(number, PathTracer::Kind::message);
  const std::uint64_t ticket =
      core_.put(operation.channel, [&]() TIMELESS_INLINE { return core_.message<pace>(clock, operation); });
  // An exchange's request is set where both halves are known.
  const bool alone = pace == Pace::plain || operation.step == Step::send;
  if (alone && operation.request != trace::no_request)
    rank.start(operation.request) = {ticket, operation.channel, RequestState::sent};
}

/// Advances the receiver's clock by what is left of the message, and forgets it. A call in every pace: inlined, the
/// innermost loop's variables would all live in memory.
template <Pace pace>
[[gnu::noinline]] void Engine::take(Clock& clock, std::uint32_t channel_number, std::uint64_t ticket) {
  Channel& channel = core_.channels[channel_number];
  Message& taken = Core::message(channel, ticket);
  if constexpr (pace == Pace::plain)
    core_.clocks.take_fast(clock, taken.sent, taken.row, taken.bytes, taken.receive_overhead);
  else
    core_.clocks.take(clock, Core::incoming(taken));
  core_.channels.remove(channel, ticket, taken);
}

/// A blocking receive draws its ticket, waits for that ticket's message and takes it.
template <Pace pace>
TIMELESS_INLINE inline bool Engine::receive(RankState& rank, Clock& clock, const Operation& operation) {
  if (rank.stage == 0) {
    rank.ticket = core_.channels.post(operation.receive_channel);
    rank.stage = 1;
  }
  if (!core_.has_message(rank, operation.receive_channel, rank.ticket)) return false;
  take<pace>(clock, operation.receive_channel, rank.ticket);
  return true;
}

/// A nonblocking one draws its ticket; its completion does the rest.
inline void Engine::post(RankState& rank, const Operation& operation) {
  rank.start(operation.request) = {core_.channels.post(operation.receive_channel), operation.receive_channel,
                                   RequestState::receiving};
}

} // namespace timeless::replay
