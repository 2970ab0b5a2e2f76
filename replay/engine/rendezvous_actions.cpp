#include "replay/engine/engine.h"

#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace timeless::replay {

namespace {

/// When a message left, as its sender waits for that: only in the lanes in which the sender waited for the receive. In
/// others it has gone on; the message may stand at the port still, or have departed late.
Snapshot for_sender(Snapshot start, const CostRow& departure, Clocks& clocks) {
  const bool ports = departure.ends != nullptr && departure.ends->port.fixed != nullptr;
  if (!ports && !departure.sender_goes_on) return start;
  Snapshot left = clocks.pool().take();
  for (std::size_t place = 0; place < clocks.pool().values(); ++place)
    left.values()[place] = departure.held[place % clocks.lanes()] != 0 ? start.values()[place] : 0;
  return left;
}

} // namespace

/// What is cancelled in the end is never sent and never posted: nobody must meet it.
bool Engine::cancelled_later(RankState& rank, std::uint32_t number, const Operation& operation) {
  if (operation.request == trace::no_request || !lookahead_.cancelled(rank_number(number), action(rank))) return false;
  if (operation.channel != no_channel) {
    clocks_.pay_for_send(clocks_[number], operation.row, operation.overhead, operation.bytes, operation.send_overhead);
    // What sets off where it is not known yet that it comes to nothing keeps the port.
    clocks_.set_off(clocks_[number], operation.row, operation.bytes);
  }
  start(rank, operation.request).state = RequestState::done;
  return true;
}

// ---- receives

std::uint64_t Engine::post_rendezvous(std::uint32_t channel_number, const Moment& when) {
  const std::uint64_t ticket = channels_.post(channel_number);
  Channel& channel = channels_[channel_number];
  if (!channel.has(ticket))
    postings_.add(channel_number, ticket, when);
  else if (channel.message(ticket).handshake != no_handshake)
    leave(channel.message(ticket), when);
  return ticket;
}

/// The time at which a receive is posted, from which its message may leave.
Moment Engine::posted_now(std::uint32_t number) {
  if (tracer_) tracer_->depart(number, world_rank(number), action(ranks_[number]), PathTracer::Kind::message);
  return clocks_.now(clocks_[number]);
}

void Engine::start_receive_rendezvous(RankState& rank, std::uint32_t number, const Operation& operation) {
  if (cancelled_later(rank, number, operation)) return;
  start(rank, operation.request) = {post_rendezvous(operation.receive_channel, posted_now(number)),
                                    operation.receive_channel, RequestState::receiving};
}

/// The receive of a message is posted: from here on the message is like an eager one sent at that time.
void Engine::leave(Message& message, const Moment& posted) {
  const std::uint32_t number = std::exchange(message.handshake, no_handshake);
  Snapshot start = clocks_.leave(message.sent, posted, message.row);
  message.sent = {.base = start};
  const Handshake& handshake = handshakes_[number];
  if (handshake.origin < 0) return left(number, std::move(start));
  remote_->left(handshake.origin, handshake.number_there, start);
  handshakes_.end(number);
}

/// The message of a handshake has left.
void Engine::left(std::uint32_t number, Snapshot start) {
  Handshake& handshake = handshakes_[number];
  if (handshake.abandoned) return handshakes_.end(number);
  handshake.start = for_sender(std::move(start), clocks_.rows()[handshake.row], clocks_);
  if (handshake.stepper != no_stepper) return wake_stepper(handshake.stepper, number);
  const auto sender = static_cast<std::uint32_t>(channels_.key(handshake.channel).source - share_.begin);
  for_each_thread(sender, [&](std::uint32_t one) {
    if (ranks_[one].waiting == Waiting::for_posting && ranks_[one].subject == number) wake(one);
  });
}

// ---- sends

/// Sends; returns what the sender has to wait for before it goes on, or completes its request.
std::uint32_t Engine::begin_to_send(std::uint32_t number, const Operation& operation) {
  Clocks::Clock& clock = clocks_[number];
  clocks_.pay_for_send(clock, operation.row, operation.overhead, operation.bytes, operation.send_overhead);
  if (tracer_) tracer_->depart(number, world_rank(number), action(ranks_[number]), PathTracer::Kind::message);
  Message message{.sent = clocks_.set_off(clock, operation.row, operation.bytes),
                  .bytes = operation.bytes,
                  .receive_overhead = operation.receive_overhead,
                  .row = operation.row};
  const Channel& channel = channels_[operation.channel];
  const Moment posted = postings_.take(operation.channel, channel.sent);
  const CostRow& row = clocks_.rows()[operation.row];
  bool waits = false;
  if (row.held) {
    // Whoever sends what departs late, but does not wait for it, has done with it.
    waits = row.keeps_sender && (operation.synchronous || strictest_.holds(operation.bytes));
    message.handshake = handshakes_.begin({.start = {},
                                           .channel = operation.channel,
                                           .row = row.departure,
                                           .bytes = operation.bytes,
                                           .synchronous = operation.synchronous,
                                           .abandoned = !waits});
  }
  const std::uint32_t handshake = waits ? message.handshake : no_handshake;
  if (row.held && posted.base) leave(message, posted);
  const std::uint64_t ticket = channels_.send(operation.channel, std::move(message));
  if (channel.awaited == ticket) wake_receiver(operation.channel);
  return handshake;
}

bool Engine::may_go_on(RankState& rank, std::uint32_t handshake) {
  if (handshakes_[handshake].start || !held(handshakes_[handshake])) return true;
  rank.waiting = Waiting::for_posting;
  rank.subject = handshake;
  return false;
}

bool Engine::send_rendezvous(RankState& rank, std::uint32_t number, const Operation& operation) {
  if (rank.stage == 0) {
    if (cancelled_later(rank, number, operation)) return true;
    rank.handshake = begin_to_send(number, operation);
    const bool waits = rank.handshake != no_handshake;
    if (operation.request != trace::no_request) {
      Request& request = start(rank, operation.request);
      request = {.subject = rank.handshake, .state = waits ? RequestState::leaving : RequestState::done};
      return true;
    }
    if (!waits) return true;
    rank.stage = 1;
  }
  if (!may_go_on(rank, rank.handshake)) return false;
  complete_ends(number, {.subject = rank.handshake, .state = RequestState::leaving});
  return true;
}

/// Both are there before either is waited for, so that the two may be one another's.
bool Engine::exchange_rendezvous(RankState& rank, std::uint32_t number, const Operation& operation) {
  const bool receives = operation.receive_channel != no_channel;
  Request both{.state = RequestState::done};
  if (rank.stage == 0) {
    if (cancelled_later(rank, number, operation)) return true;
    const auto post = [&] {
      if (receives) rank.ticket = post_rendezvous(operation.receive_channel, posted_now(number));
    };
    if (!library_.sends_before_posting) post();
    rank.handshake = operation.channel == no_channel ? no_handshake : begin_to_send(number, operation);
    if (library_.sends_before_posting) post();
    rank.stage = 1;
  }
  if (rank.handshake != no_handshake) {
    handshakes_[rank.handshake].receive_channel = operation.receive_channel;
    both = {rank.ticket, rank.handshake, receives ? RequestState::exchanging : RequestState::leaving};
  } else if (receives) {
    both = {rank.ticket, operation.receive_channel, RequestState::receiving};
  }
  if (operation.request != trace::no_request) {
    start(rank, operation.request) = both;
    return true;
  }
  if (receives && !has_message(rank, operation.receive_channel, rank.ticket)) return false;
  if (rank.handshake != no_handshake && !may_go_on(rank, rank.handshake)) return false;
  complete_ends(number, both);
  return true;
}

// ---- completions

/// The channel on which a request's message comes; no_channel when it waits for none.
std::uint32_t Engine::receive_channel(const Request& request) const {
  if (request.state == RequestState::receiving) return request.subject;
  return request.state == RequestState::exchanging ? handshakes_[request.subject].receive_channel : no_channel;
}

std::size_t Engine::gather_ends(const Request& request) {
  if (const std::uint32_t channel = receive_channel(request); channel != no_channel)
    incoming_.push_back(incoming(message(channels_[channel], request.ticket)));
  if (request.state != RequestState::leaving && request.state != RequestState::exchanging) return 0;
  const Handshake& handshake = handshakes_[request.subject];
  // Where it has not left, the lanes that wait for it have been given up.
  if (!handshake.start) return 0;
  incoming_.push_back({.sent = {.base = handshake.start.values()}, .row = handshake.row, .bytes = handshake.bytes});
  return 1;
}

void Engine::forget_ends(Clocks::Clock& clock, const Request& request) {
  if (const std::uint32_t number = receive_channel(request); number != no_channel) {
    Channel& channel = channels_[number];
    message(channel, request.ticket); // one that is there
    channels_.remove(channel, request.ticket);
  }
  if (request.state == RequestState::leaving || request.state == RequestState::exchanging)
    end_sent(clock, request.subject);
}

/// The sender has waited for its message.
void Engine::end_sent(Clocks::Clock& clock, std::uint32_t handshake) {
  const Handshake& sent = handshakes_[handshake];
  if (sent.start) clocks_.hold_port(clock, sent.start, sent.row, sent.bytes);
  end(handshake);
}

/// Completes a request that is leaving, receiving or exchanging, alone.
void Engine::complete_ends(std::uint32_t number, const Request& request) {
  Clocks::Clock& clock = clocks_[number];
  incoming_.clear();
  const bool only_departs = gather_ends(request) == incoming_.size();
  if (!only_departs)
    clocks_.take_all(clock, incoming_);
  else if (!incoming_.empty())
    clocks_.depart(clock, incoming_);
  forget_ends(clock, request);
}

/// Its sender is done with it; the message may be under way to leave.
void Engine::end(std::uint32_t handshake) {
  if (handshakes_[handshake].start)
    handshakes_.end(handshake);
  else
    handshakes_[handshake].abandoned = true;
}

// ---- deadlocks

/// Nothing goes on: so it is in the lanes that wait for most. They are given up, until in those that are left a rank
/// goes on; false when it does not come to that.
bool Engine::give_up_strictest_lanes() {
  if (!care_ || finished_ == ranks_.size()) return false;
  const Diagnosis found = diagnose({source_.run(), communicators_, matching_}, status());
  if (ends_with_recording(source_.run(), found)) return false;
  while (!can_go_on() && strictest_.any_left())
    give_up_strictest_lanes(found);
  return strictest_.any_left();
}

bool Engine::give_up_strictest_lanes(const Diagnosis& found) {
  const auto diagnosis = std::make_shared<Diagnosis>(found);
  if (std::isfinite(strictest_.limit()))
    diagnosis->remarks.push_back(
        fmt::format("messages of more than {} bytes wait here for their receives", strictest_.limit()));
  for (const std::size_t lane : strictest_.give_up())
    deadlocks_[lane] = diagnosis;
  if (!strictest_.any_left()) {
    last_deadlock_ = diagnosis;
    return false;
  }
  for (std::uint32_t number = 0; number < ranks_.size(); ++number)
    if (ranks_[number].waiting == Waiting::for_posting && !held(handshakes_[ranks_[number].subject])) wake(number);
  wake_released_steppers();
  return true;
}

} // namespace timeless::replay
