#include "replay/engine/rendezvous/rendezvous.h"

#include "replay/engine/core/messages.h"

#include <fmt/format.h>
#include <string>
#include <utility>

namespace timeless::replay {

namespace {

/// Returns when a message left, as its sender waits for that: only in the lanes in which the sender waited for the
/// receive. In others it has gone on; the message may stand at the port still, or have departed late.
Snapshot for_sender(Snapshot start, const CostRow& departure, Clocks& clocks) {
  const bool ports = departure.ends != nullptr && departure.ends->port.fixed != nullptr;
  if (!ports && !departure.sender_goes_on) return start;
  Snapshot left = clocks.model.pool.take();
  clocks.model.set_long_ago(left.values());
  for (std::size_t place = 0; place < clocks.model.values(); ++place)
    if (departure.held[place % clocks.model.lanes()] != 0) left.values()[place] = start.values()[place];
  return left;
}

/// Returns a remark on lanes whose messages wait; empty where none does.
std::string waiting_remark(const EagerLimits& limits) {
  const auto above = [](Bytes limit) { return fmt::format("messages of more than {} bytes", limit); };
  constexpr const char* wait = " wait here for their receives";
  if (!limits.any()) return {};
  if (limits.between_nodes == limits.within_node) return above(limits.between_nodes) + wait;
  std::string text;
  if (limits.between_nodes != no_eager_limit) text = above(limits.between_nodes) + " between nodes";
  if (limits.within_node != no_eager_limit)
    text += (text.empty() ? "" : " and ") + above(limits.within_node) + " within one";
  return text + wait;
}

} // namespace

Rendezvous::Rendezvous(Core& core, StepLeft step_left)
    : core_(core), step_left_(std::move(step_left)), strictest_(eager_limits(core.network, core.options)),
      deadlocks_(core.network.lanes.size()) {}

bool Rendezvous::cancelled_later(RankState& rank, std::uint32_t number, const Operation& operation) {
  if (operation.request == trace::no_request || !core_.lookahead.cancelled(core_.rank_number(number), rank.action()))
    return false;
  if (operation.channel != no_channel) {
    Clock& clock = core_.clocks[number];
    pay_for_send(core_, clock, operation);
    // What sets off where it is not known yet that it comes to nothing keeps the port.
    core_.clocks.sends.set_off(clock, operation.row, operation.bytes);
  }
  rank.start(operation.request).state = RequestState::done;
  return true;
}

// ---- receives

std::uint64_t Rendezvous::post(std::uint32_t number, std::uint32_t channel_number) {
  core_.depart(number, PathTracer::Kind::message);
  const Moment now = core_.clocks.model.now(core_.clocks[number]);
  const std::uint64_t ticket = core_.channels.post(channel_number);
  Channel& channel = core_.channels[channel_number];
  if (!channel.has(ticket))
    postings_.add(channel_number, ticket, now);
  else if (channel.message(ticket).handshake != no_handshake)
    leave(channel.message(ticket), now);
  return ticket;
}

void Rendezvous::start_receive(RankState& rank, std::uint32_t number, const Operation& operation) {
  if (cancelled_later(rank, number, operation)) return;
  rank.start(operation.request) = {post(number, operation.receive_channel), operation.receive_channel,
                                   RequestState::receiving};
}

void Rendezvous::leave(Message& message, const Moment& posted) {
  const std::uint32_t number = std::exchange(message.handshake, no_handshake);
  Snapshot start = core_.clocks.leave(message.sent, posted, message.row);
  message.sent = {.base = start};
  const Handshake& handshake = handshakes_[number];
  if (handshake.origin < 0) return left(number, std::move(start));
  core_.remote->left(handshake.origin, handshake.number_there, start);
  handshakes_.end(number);
}

void Rendezvous::left(std::uint32_t number, Snapshot start) {
  Handshake& handshake = handshakes_[number];
  if (handshake.abandoned) return handshakes_.end(number);
  handshake.start = for_sender(std::move(start), core_.clocks.model.rows[handshake.row], core_.clocks);
  if (handshake.stepper != no_stepper) return step_left_(handshake.stepper, number);
  const trace::Rank sender = core_.channels.key(handshake.channel).source;
  core_.wake_those(static_cast<std::uint32_t>(sender - core_.local_ranks.begin), Waiting::for_posting, number);
}

// ---- sends

bool Rendezvous::agree(Message& message, Handshake whose) {
  const CostRow& row = core_.clocks.model.rows[message.row];
  if (!row.held) return false;
  // A sender of what departs late that does not wait for it is done with it.
  const bool waits =
      row.keeps_sender && (whose.synchronous || strictest_.holds(core_.clocks.model.rows[row.departure].held));
  whose.row = row.departure;
  whose.bytes = message.bytes;
  whose.abandoned = !waits;
  message.handshake = handshakes_.begin(std::move(whose));
  return waits;
}

void Rendezvous::agree_elsewhere(Message& message, std::uint32_t channel, int origin, std::uint32_t number_there) {
  if (number_there == no_handshake) return;
  Handshake elsewhere{.start = {}, .channel = channel};
  elsewhere.origin = origin;
  elsewhere.number_there = number_there;
  message.handshake = handshakes_.begin(std::move(elsewhere));
}

/// Sends; returns what the sender has to wait for before it goes on, or completes its request.
std::uint32_t Rendezvous::begin_to_send(std::uint32_t number, const Operation& operation) {
  Clock& clock = core_.clocks[number];
  pay_for_send(core_, clock, operation);
  core_.depart(number, PathTracer::Kind::message);
  Message message = set_off(core_, clock, operation);
  const Moment posted = this->posted(operation.channel);
  const bool waits = agree(message, {.start = {}, .channel = operation.channel, .synchronous = operation.synchronous});
  const std::uint32_t handshake = waits ? message.handshake : no_handshake;
  if (message.handshake != no_handshake && posted.base) leave(message, posted);
  put_message(core_, operation.channel, [&] { return std::move(message); });
  return handshake;
}

bool Rendezvous::send(RankState& rank, std::uint32_t number, const Operation& operation) {
  if (rank.stage == 0) {
    if (cancelled_later(rank, number, operation)) return true;
    rank.handshake = begin_to_send(number, operation);
    const bool waits = rank.handshake != no_handshake;
    if (operation.request != trace::no_request) {
      Request& request = rank.start(operation.request);
      request = {.subject = rank.handshake, .state = waits ? RequestState::leaving : RequestState::done};
      return true;
    }
    if (!waits) return true;
    rank.stage = 1;
  }
  if (!may_go_on(rank, rank.handshake)) return false;
  complete(number, {.subject = rank.handshake, .state = RequestState::leaving});
  return true;
}

/// Posts the receive and the send before it waits for either, since they may match each other.
bool Rendezvous::exchange(RankState& rank, std::uint32_t number, const Operation& operation) {
  const bool receives = operation.receive_channel != no_channel;
  Request both{.state = RequestState::done};
  if (rank.stage == 0) {
    if (cancelled_later(rank, number, operation)) return true;
    const auto post = [&] {
      if (receives) rank.ticket = this->post(number, operation.receive_channel);
    };
    if (!core_.library.sends_before_posting) post();
    rank.handshake = operation.channel == no_channel ? no_handshake : begin_to_send(number, operation);
    if (core_.library.sends_before_posting) post();
    rank.stage = 1;
  }
  if (rank.handshake != no_handshake) {
    handshakes_[rank.handshake].receive_channel = operation.receive_channel;
    both = {rank.ticket, rank.handshake, receives ? RequestState::exchanging : RequestState::leaving};
  } else if (receives) {
    both = {rank.ticket, operation.receive_channel, RequestState::receiving};
  }
  if (operation.request != trace::no_request) {
    rank.start(operation.request) = both;
    return true;
  }
  if (receives && !has_message(core_, rank, operation.receive_channel, rank.ticket)) return false;
  if (rank.handshake != no_handshake && !may_go_on(rank, rank.handshake)) return false;
  complete(number, both);
  return true;
}

// ---- completions

std::uint32_t Rendezvous::receive_channel(const Request& request) const {
  if (request.state == RequestState::receiving) return request.subject;
  return request.state == RequestState::exchanging ? handshakes_[request.subject].receive_channel : no_channel;
}

std::size_t Rendezvous::add_departure(std::uint32_t number) {
  const Handshake& handshake = handshakes_[number];
  // Where it has not left, the lanes that wait for it have been given up.
  if (!handshake.start) return 0;
  core_.arrivals.push_back(
      {.sent = {.base = handshake.start.values()}, .row = handshake.row, .bytes = handshake.bytes});
  return 1;
}

std::size_t Rendezvous::add_arrivals(const Request& request) {
  if (const std::uint32_t channel = receive_channel(request); channel != no_channel)
    core_.arrivals.push_back(incoming_of(message_of(core_.channels[channel], request.ticket)));
  return sends(request.state) ? add_departure(request.subject) : 0;
}

void Rendezvous::forget(Clock& clock, const Request& request) {
  if (const std::uint32_t number = receive_channel(request); number != no_channel)
    remove_taken(core_, number, request.ticket);
  if (sends(request.state)) end_sent(clock, request.subject);
}

void Rendezvous::end_sent(Clock& clock, std::uint32_t handshake) {
  const Handshake& sent = handshakes_[handshake];
  if (sent.start) core_.clocks.sends.hold_port(clock, sent.start, sent.row, sent.bytes);
  end(handshake);
}

void Rendezvous::complete(std::uint32_t number, const Request& request) {
  Clock& clock = core_.clocks[number];
  core_.arrivals.clear();
  take_arrivals(core_, clock, add_arrivals(request));
  forget(clock, request);
}

void Rendezvous::end(std::uint32_t handshake) {
  if (handshakes_[handshake].start)
    handshakes_.end(handshake);
  else
    handshakes_[handshake].abandoned = true;
}

// ---- deadlocks

bool Rendezvous::give_up_strictest_lanes(const Diagnosis& found) {
  const auto diagnosis = std::make_shared<Diagnosis>(found);
  if (std::string remark = waiting_remark(strictest_.limits()); !remark.empty())
    diagnosis->remarks.push_back(std::move(remark));
  for (const std::size_t lane : strictest_.give_up())
    deadlocks_[lane] = diagnosis;
  if (!strictest_.any_left()) {
    last_deadlock_ = diagnosis;
    return false;
  }
  for (std::uint32_t number = 0; number < core_.ranks.size(); ++number) {
    const RankState& rank = core_.ranks[number];
    if (rank.waiting == Waiting::for_posting && !held(handshakes_[rank.subject])) core_.wake(number);
  }
  return true;
}

} // namespace timeless::replay
