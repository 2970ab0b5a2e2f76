#include "replay/smpi/calls/messages.h"

#include "replay/smpi/calls/dependences.h"
#include "replay/smpi/calls/elements.h"

#include <algorithm>

namespace timeless::replay::smpi {

namespace {

using trace::Action;
using trace::ActionKind;

int message_tag(trace::Tag tag) {
  return tag == trace::any_tag ? MPI_ANY_TAG : tag;
}

MessageTags recorded_tags(const Action& action) {
  const bool exchanges = trace::exchanges_messages(action.kind);
  return {.send = action.tag, .receive = message_tag(exchanges ? action.receive_tag : action.tag)};
}

/// SMPI compares sizes as ints: from 2 GiB on a standard send would pass for a small one.
bool meets_receiver(const Action& action) {
  return action.mode == trace::SendMode::synchronous || action.bytes > largest_count;
}

} // namespace

const trace::RequestOutcome* Messages::outcome(const Call& call) const {
  if (call.blocking()) return nullptr;
  return context_.scan->request_outcomes[static_cast<std::size_t>(rank_)].of(call.ordinal);
}

MessageTags Messages::number(const Call& call) {
  const Action& action = call.action;
  MessageTags tags = recorded_tags(action);
  tags.numbered = true;
  MessageNumbers& numbers = context_.numbers;
  const trace::RequestOutcome* late = outcome(call);
  if (late != nullptr && late->cancelled) return tags;
  const trace::CommunicatorId communicator = context_.scan->same_as[action.communicator];
  const int self = communicators_.of(call).self;
  const bool exchanges = trace::exchanges_messages(action.kind);
  if (trace::sends_message(action.kind))
    if (const int to = communicators_.rank(call, action.peer); to != MPI_PROC_NULL)
      tags.send = numbers.send({communicator, self, to}, action.tag).number;
  if (action.kind == ActionKind::send) return tags;
  tags.peer = exchanges ? action.receive_peer : action.peer;
  tags.tag = exchanges ? action.receive_tag : action.tag;
  if (late != nullptr && late->resolved) {
    tags.peer = late->peer;
    tags.tag = late->tag;
  }
  const int from = communicators_.rank(call, tags.peer);
  if (from == MPI_PROC_NULL) return tags;
  tags.receive = MessageNumbers::nobodys; // where it was never learnt what it has received
  if (from == MPI_ANY_SOURCE || tags.tag == trace::any_tag) return tags;
  const MessageNumbers::Direction direction{communicator, from, self};
  if (trace::traits(action.kind).probes) {
    tags.received = numbers.probe(direction, tags.tag, (action.flags & trace::flag_matched) != 0);
    tags.probed = tags.received.of == nullptr;
  } else {
    tags.received = numbers.receive(direction, tags.tag, tags.probed);
  }
  tags.receive = tags.received.number;
  return tags;
}

void Messages::play(const Call& call, Pending* pending) {
  MessageTags tags = call.dependences != nullptr ? call.dependences->tags
                     : context_.scan->threads    ? number(call)
                                                 : recorded_tags(call.action);
  const trace::ActionKind kind = call.action.kind;
  if (trace::exchanges_messages(kind)) return exchange(call, tags, pending);
  if (trace::receives_message(kind)) return receive(call, tags, pending);
  if (!trace::sends_message(kind)) return await(call, tags);
  return pending == nullptr ? send(call, tags) : start_send(call, tags, *pending);
}

void Messages::send(const Call& call, const MessageTags& tags) {
  const auto [count, type] = context_.types.elements(call.action.bytes);
  MPI_Comm comm = communicators_.of(call).whole;
  const int peer = communicators_.rank(call, call.action.peer);
  const bool buffered = call.action.mode == trace::SendMode::buffered;
  const auto send = meets_receiver(call.action) ? PMPI_Ssend : buffered ? PMPI_Bsend : PMPI_Send;
  call.check(send(context_.send_area, count, type, peer, tags.send, comm));
}

void Messages::start_send(const Call& call, const MessageTags& tags, Pending& pending) {
  const trace::RequestOutcome* late = outcome(call);
  if (late != nullptr && late->cancelled) return;
  const auto [count, type] = context_.types.elements(call.action.bytes);
  MPI_Comm comm = communicators_.of(call).whole;
  const int peer = communicators_.rank(call, call.action.peer);
  const bool meets = meets_receiver(call.action);
  const bool buffered = call.action.mode == trace::SendMode::buffered;
  if ((call.action.flags & trace::flag_persistent) != 0) {
    const auto make = meets ? PMPI_Ssend_init : buffered ? PMPI_Bsend_init : PMPI_Send_init;
    call.check(make(context_.send_area, count, type, peer, tags.send, comm, &pending.request));
    pending.persistent = true;
    return call.check(PMPI_Start(&pending.request));
  }
  const auto start = meets ? PMPI_Issend : buffered ? PMPI_Ibsend : PMPI_Isend;
  call.check(start(context_.send_area, count, type, peer, tags.send, comm, &pending.request));
}

bool Messages::taken_early(const Key& message, const MessageTags& tags) {
  if (tags.numbered) return tags.probed;
  const auto found = early_.find(message);
  if (found == early_.end()) return false;
  if (--found->second == 0) early_.erase(found);
  return true;
}

void Messages::receive(const Call& call, MessageTags& tags, Pending* pending) {
  trace::Rank source = call.action.peer;
  trace::Tag tag = call.action.tag;
  trace::Bytes bytes = call.action.bytes;
  if (const trace::RequestOutcome* late = outcome(call)) {
    if (late->cancelled) return;
    if (late->resolved) {
      source = late->peer;
      tag = late->tag;
      bytes = std::max(bytes, late->bytes);
    }
  }
  if (taken_early({call.action.communicator, source, tag}, tags)) return MessageNumbers::give_back(tags.received);
  const int from = communicators_.rank(call, source);
  const int told = tags.numbered ? tags.receive : message_tag(tag);
  if (pending != nullptr) {
    pending->number = tags.received;
    return start_receive(call, bytes, from, told, *pending);
  }
  const auto [count, type] = context_.types.room_for(bytes);
  call.check(
      PMPI_Recv(context_.receive_area, count, type, from, told, communicators_.of(call).whole, MPI_STATUS_IGNORE));
  MessageNumbers::give_back(tags.received);
}

void Messages::start_receive(const Call& call, trace::Bytes bytes, int from, int tag, Pending& pending) {
  const auto [count, type] = context_.types.room_for(bytes);
  MPI_Comm comm = communicators_.of(call).whole;
  if ((call.action.flags & trace::flag_persistent) != 0) {
    call.check(PMPI_Recv_init(context_.receive_area, count, type, from, tag, comm, &pending.request));
    pending.persistent = true;
    return call.check(PMPI_Start(&pending.request));
  }
  call.check(PMPI_Irecv(context_.receive_area, count, type, from, tag, comm, &pending.request));
}

/// SMPI's own exchange of a rank with itself sends nothing, and others may wait for its message.
void Messages::exchange(const Call& call, MessageTags& tags, Pending* pending) {
  const Action& action = call.action;
  const auto [send_count, send_type] = context_.types.elements(action.bytes);
  const auto [receive_count, receive_type] = context_.types.room_for(action.receive_bytes);
  const SmpiCommunicator& communicator = communicators_.of(call);
  MPI_Comm comm = communicator.whole;
  const int to = communicators_.rank(call, action.peer);
  int from = communicators_.rank(call, action.receive_peer);
  if (from != MPI_PROC_NULL && taken_early({action.communicator, action.receive_peer, action.receive_tag}, tags))
    from = MPI_PROC_NULL;
  if (pending == nullptr && (to != communicator.self || from != communicator.self)) {
    call.check(PMPI_Sendrecv(context_.send_area, send_count, send_type, to, tags.send, context_.receive_area,
                             receive_count, receive_type, from, tags.receive, comm, MPI_STATUS_IGNORE));
    return MessageNumbers::give_back(tags.received);
  }
  std::vector<MPI_Request> parts(2, MPI_REQUEST_NULL);
  call.check(PMPI_Irecv(context_.receive_area, receive_count, receive_type, from, tags.receive, comm, &parts[0]));
  call.check(PMPI_Isend(context_.send_area, send_count, send_type, to, tags.send, comm, &parts[1]));
  if (pending == nullptr) {
    call.wait(parts);
    return MessageNumbers::give_back(tags.received);
  }
  pending->parts = std::move(parts);
  pending->number = tags.received;
}

/// SMPI's own probes poll in steps of 0.1 ms. Here a probe receives the message it found, and the receive that follows
/// finds it done: the same wait, at the time the message comes.
void Messages::await(const Call& call, const MessageTags& tags) {
  const Key key{call.action.communicator, call.action.peer, call.action.tag};
  const bool takes_it_away = (call.action.flags & trace::flag_matched) != 0;
  if (tags.numbered ? tags.probed : !takes_it_away && early_.contains(key)) return;
  const auto [count, type] = context_.types.room_for(call.action.bytes);
  call.check(PMPI_Recv(context_.receive_area, count, type, communicators_.rank(call, call.action.peer), tags.receive,
                       communicators_.of(call).whole, MPI_STATUS_IGNORE));
  if (!tags.numbered) ++early_[key];
}

} // namespace timeless::replay::smpi
