#pragma once

#include "replay/engine/clocks/fast_clocks.h"
#include "replay/engine/core/core.h"

/// An eager message, from its send until it is taken. All paces share the code; Pace::fast leaves out what costs
/// nothing there.
namespace timeless::replay {

/// Puts the message into its channel, and wakes the receiver if it waits for this one.
template <Pace pace>
TIMELESS_INLINE inline void send(Core& core, RankState& rank, std::uint32_t number, Clock& clock,
                                 const Operation& operation) {
  core.pay<pace>(clock, operation);
  if constexpr (pace != Pace::fast) core.depart(number, PathTracer::Kind::message);
  const std::uint64_t ticket =
      core.put(operation.channel, [&]() TIMELESS_INLINE { return core.message<pace>(clock, operation); });
  // An exchange's request is set where both halves are known.
  const bool alone = pace == Pace::fast || operation.step == Step::send;
  if (alone && operation.request != trace::no_request)
    rank.start(operation.request) = {ticket, operation.channel, RequestState::sent};
}

/// Advances the receiver's clock by what is left of the message, and forgets it. A call in every pace: inlined, the
/// innermost loop's variables would all live in memory.
template <Pace pace>
[[gnu::noinline]] void take(Core& core, Clock& clock, std::uint32_t channel_number, std::uint64_t ticket) {
  Channel& channel = core.channels[channel_number];
  Message& taken = Core::message(channel, ticket);
  if constexpr (pace == Pace::fast)
    core.clocks.take_fast(clock, taken.sent, taken.row, taken.bytes, taken.receive_overhead);
  else
    core.clocks.take(clock, Core::incoming(taken));
  core.channels.remove(channel, ticket, taken);
}

/// Performs a blocking receive: draws its ticket, waits for that ticket's message and takes it.
template <Pace pace>
TIMELESS_INLINE inline bool receive(Core& core, RankState& rank, Clock& clock, const Operation& operation) {
  if (rank.stage == 0) {
    rank.ticket = core.channels.post(operation.receive_channel);
    rank.stage = 1;
  }
  if (!core.has_message(rank, operation.receive_channel, rank.ticket)) return false;
  take<pace>(core, clock, operation.receive_channel, rank.ticket);
  return true;
}

/// Posts a nonblocking receive: draws its ticket; the request's completion does the rest.
inline void post(Core& core, RankState& rank, const Operation& operation) {
  rank.start(operation.request) = {core.channels.post(operation.receive_channel), operation.receive_channel,
                                   RequestState::receiving};
}

} // namespace timeless::replay
