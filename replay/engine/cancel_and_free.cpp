#include "replay/engine/completions.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace timeless::replay {

using trace::RequestId;

namespace {

/// Returns true when a thread stands in a receive of this channel, which has a ticket.
bool receives_now(const RankState& rank, std::uint32_t channel) {
  if (!rank.several || !rank.thread->begun) return false;
  const Operation& operation = rank.operations[rank.sequence[rank.position]];
  return operation.receive_channel == channel && operation.request == trace::no_request;
}

} // namespace

void Completions::cancel(RankState& rank, std::uint32_t number, RequestId id) {
  Request& request = rank.requests[id];
  switch (request.state) {
  case RequestState::inactive:
    fail(fmt::format("request {} is cancelled, but not active", id));
  case RequestState::collective:
  case RequestState::async:
    fail(fmt::format("request {} is cancelled, but a collective's", id));
  case RequestState::transfer:
  case RequestState::file_transfer:
  case RequestState::file:
    fail(fmt::format("request {} is cancelled, but no message's", id));
  case RequestState::receiving:
    cancel_receive(number, request);
    break;
  case RequestState::sent:
    cancel_send(number, request);
    break;
  case RequestState::leaving:
  case RequestState::exchanging: // what is cancelled has been foreseen, and never was one of these
  case RequestState::unresolved:
    break;
  case RequestState::done: // also a collective's, where that costs nothing: what may be cancelled shows ahead
    core_.lookahead.look_ahead(core_.rank_number(number));
    break;
  }
  request = {.state = RequestState::done};
}

/// Receives posted later on the channel move up; the last of their tickets goes back.
void Completions::cancel_receive(std::uint32_t number, Request& request) {
  std::vector<std::uint64_t*> later;
  core_.for_each_thread(core_.rank_number(number), [&](std::uint32_t thread) {
    RankState& rank = core_.ranks[thread];
    rank.requests.for_each_active([&](Request& other) {
      if (other.state == RequestState::receiving && other.subject == request.subject && other.ticket > request.ticket)
        later.push_back(&other.ticket);
    });
    if (thread != number && receives_now(rank, request.subject) && rank.ticket > request.ticket)
      later.push_back(&rank.ticket);
  });
  std::ranges::sort(later, {}, [](const std::uint64_t* ticket) { return *ticket; });
  std::uint64_t free = request.ticket;
  for (std::uint64_t* other : later)
    std::swap(*other, free);
  core_.channels.give_back(request.subject, free);
  if (core_.ranks[number].several) core_.look_again(number, request.subject);
}

void Completions::cancel_send(std::uint32_t number, Request& request) {
  if (!core_.channels.unsend(request.subject, request.ticket)) {
    core_.not_modelled.add(Unmodelled::cancelled_after_receipt, core_.rank_number(number));
    return;
  }
  core_.for_each_thread(core_.rank_number(number), [&](std::uint32_t thread) {
    core_.ranks[thread].requests.for_each_active([&](Request& other) {
      if (other.state == RequestState::sent && other.subject == request.subject && other.ticket > request.ticket)
        --other.ticket;
    });
  });
}

void Completions::release(RankState& rank, RequestId id) {
  const Request request = std::exchange(rank.requests[id], {});
  if (request.state == RequestState::collective || request.state == RequestState::async)
    fail(fmt::format("request {} is freed, but a collective's", id));
  if (request.state == RequestState::file)
    files_.leave_early(request.subject);
  else if (comes_later(request.state))
    core_.transfers.release(request.subject);
  // What was to come goes unnoticed.
  if (const std::uint32_t channel = rendezvous_.receive_channel(request); channel != no_channel)
    core_.channels.ignore(channel, request.ticket);
  if (sends(request.state)) rendezvous_.end(request.subject);
}

} // namespace timeless::replay
