#pragma once

#include "replay/engine/clocks/fast_clocks.h"
#include "replay/engine/core/core.h"

/// One message, from its send until it is taken: what every part of the engine calls to send, and to take one message.
/// Several that one call completes are taken together, by completions.cpp and event_loop.cpp. All paces share the code;
/// Pace::fast leaves out what costs nothing there. What a message and its channel hold, and how a receive finds its
/// message, is in matching/channels.h.
namespace timeless::replay {

/// Charges the sender's overhead and copy. `send` is an Operation or a MemberStep.
template <Pace pace = Pace::usual, typename Send>
void pay_for_send(Core& core, Clock& clock, const Send& send) {
  if constexpr (pace == Pace::fast) {
    clock.overhead += send.send_overhead;
    clock.copied += send.bytes;
  } else {
    core.clocks.sends.pay_for_send(clock, send.row, send.overhead, send.bytes, send.send_overhead);
  }
}

/// Returns the message, which sets off as soon as its sender's port lets it.
template <Pace pace = Pace::usual, typename Send>
TIMELESS_INLINE inline Message set_off(Core& core, Clock& clock, const Send& send) {
  return {.sent = pace == Pace::fast ? LaneModel::uniform_now(clock)
                                     : core.clocks.sends.set_off(clock, send.row, send.bytes),
          .bytes = send.bytes,
          .receive_overhead = send.receive_overhead,
          .row = send.row};
}

/// Puts the message that `make` returns into a channel, and wakes who waits for it; returns its ticket.
template <typename Make>
TIMELESS_INLINE inline std::uint64_t put_message(Core& core, std::uint32_t channel_number, Make make) {
  const std::uint64_t ticket = core.channels.send_made(channel_number, make);
  const Channel& channel = core.channels[channel_number];
  if (channel.awaited == ticket) core.wake_receiver(channel_number, channel.destination);
  return ticket;
}

/// Performs a send that does not wait for its receive.
template <Pace pace>
TIMELESS_INLINE inline void send(Core& core, RankState& rank, std::uint32_t number, Clock& clock,
                                 const Operation& operation) {
  pay_for_send<pace>(core, clock, operation);
  if constexpr (pace != Pace::fast) core.depart(number, PathTracer::Kind::message);
  const std::uint64_t ticket =
      put_message(core, operation.channel, [&]() TIMELESS_INLINE { return set_off<pace>(core, clock, operation); });
  // An exchange's request is set where both halves are known.
  const bool alone = pace == Pace::fast || operation.step == Step::send;
  if (alone && operation.request != trace::no_request)
    rank.start(operation.request) = {ticket, operation.channel, RequestState::sent};
}

/// Returns true when the message of a ticket has come; otherwise the rank waits for it.
inline bool has_message(Core& core, RankState& rank, std::uint32_t channel_number, std::uint64_t ticket) {
  Channel& channel = core.channels[channel_number];
  if (channel.has(ticket)) return true;
  Core::await_message(rank, channel, ticket);
  return Core::wait(rank, Waiting::for_message, channel_number);
}

/// Returns a message that has come. Throws Error(invalid_input) where it has been taken.
inline Message& message_of(Channel& channel, std::uint64_t ticket) {
  if (ticket < channel.oldest || !channel.message(ticket).sent.base)
    fail("a message is received a second time, after receives were cancelled out of order");
  return channel.message(ticket);
}

/// Returns what taking a message asks of a clock.
inline Incoming incoming_of(const Message& message) {
  return {.sent = message.sent.time(),
          .row = message.row,
          .bytes = message.bytes,
          .port = true,
          .received = true,
          .overhead = message.receive_overhead};
}

/// Advances the receiver's clock by what is left of the message, and forgets it. A call in every pace: inlined, the
/// innermost loop's variables would all live in memory.
template <Pace pace>
[[gnu::noinline]] void take(Core& core, Clock& clock, std::uint32_t channel_number, std::uint64_t ticket) {
  Channel& channel = core.channels[channel_number];
  Message& taken = message_of(channel, ticket);
  if constexpr (pace == Pace::fast)
    core.clocks.take_fast(clock, taken.sent, taken.row, taken.bytes, taken.receive_overhead);
  else
    core.clocks.take(clock, incoming_of(taken));
  core.channels.remove(channel, ticket, taken);
}

/// Forgets a message that was taken together with others.
inline void remove_taken(Core& core, std::uint32_t channel_number, std::uint64_t ticket) {
  Channel& channel = core.channels[channel_number];
  core.channels.remove(channel, ticket, message_of(channel, ticket));
}

/// Takes all of the core's arrivals; `departures` of them are messages that the rank sent, of which it only waits for
/// the end.
inline void take_arrivals(Core& core, Clock& clock, std::size_t departures) {
  if (departures < core.arrivals.size())
    core.clocks.take_all(clock, core.arrivals);
  else if (departures > 0)
    core.clocks.depart(clock, core.arrivals);
}

/// Performs a blocking receive: draws its ticket, waits for that ticket's message and takes it.
template <Pace pace>
TIMELESS_INLINE inline bool receive(Core& core, RankState& rank, Clock& clock, const Operation& operation) {
  if (rank.stage == 0) {
    rank.ticket = core.channels.post(operation.receive_channel);
    rank.stage = 1;
  }
  if (!has_message(core, rank, operation.receive_channel, rank.ticket)) return false;
  take<pace>(core, clock, operation.receive_channel, rank.ticket);
  return true;
}

/// Posts a nonblocking receive: draws its ticket; the request's completion does the rest.
inline void post(Core& core, RankState& rank, const Operation& operation) {
  rank.start(operation.request) = {core.channels.post(operation.receive_channel), operation.receive_channel,
                                   RequestState::receiving};
}

} // namespace timeless::replay
