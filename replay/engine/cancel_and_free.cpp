#include "replay/engine/engine.h"
#include "replay/engine/trace_error.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace timeless::replay {

using trace::RequestId;

void Engine::fail_reused(RequestId id) {
  fail(fmt::format("request {} is used again before it has completed", id));
}

void Engine::cancel(RankState& rank, std::uint32_t number, RequestId id) {
  Request& request = rank.requests[id];
  switch (request.state) {
  case RequestState::inactive:
    fail(fmt::format("request {} is cancelled, but not active", id));
  case RequestState::collective:
  case RequestState::agent:
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
    lookahead_.look_ahead(rank_number(number));
    break;
  }
  request = {.state = RequestState::done};
}

/// Receives posted later on the channel move up; the last of their tickets goes back.
void Engine::cancel_receive(std::uint32_t number, Request& request) {
  std::vector<std::uint64_t*> later;
  for_each_thread(rank_number(number), [&](std::uint32_t thread) {
    RankState& rank = ranks_[thread];
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
  channels_.give_back(request.subject, free);
  if (ranks_[number].several) look_again(number, request.subject);
}

void Engine::cancel_send(std::uint32_t number, Request& request) {
  if (!channels_.unsend(request.subject, request.ticket)) {
    note_kept_message(rank_number(number));
    return;
  }
  for_each_thread(rank_number(number), [&](std::uint32_t thread) {
    ranks_[thread].requests.for_each_active([&](Request& other) {
      if (other.state == RequestState::sent && other.subject == request.subject && other.ticket > request.ticket)
        --other.ticket;
    });
  });
}

void Engine::note_kept_message(std::size_t number) {
  not_modelled_.add(Unmodelled::cancelled_after_receipt, number);
}

void Engine::release(RankState& rank, RequestId id) {
  const Request request = std::exchange(rank.requests[id], {});
  if (request.state == RequestState::collective || request.state == RequestState::agent)
    fail(fmt::format("request {} is freed, but a collective's", id));
  if (comes_later(request.state)) release_other(request);
  if (request.state == RequestState::receiving) channels_.ignore(request.subject, request.ticket);
  if (request.state == RequestState::exchanging)
    channels_.ignore(handshakes_[request.subject].receive_channel, request.ticket);
  if (request.state == RequestState::leaving || request.state == RequestState::exchanging) end(request.subject);
}

/// Has its place among the receives of the channel that its message came on, from now on.
void Engine::post_wildcard(RankState& rank, std::uint32_t number, const Operation& operation) {
  if (care_ && cancelled_later(rank, number, operation)) return;
  Request& request = start(rank, operation.request);
  const trace::RequestOutcome* found = lookahead_.resolution(rank_number(number), action(rank));
  if (found == nullptr) {
    request = {.state = RequestState::unresolved};
    return;
  }
  const std::uint32_t channel =
      compiler_.incoming_channel(found->communicator, found->peer, found->tag, world_rank(number));
  const std::uint64_t ticket = care_ ? post_rendezvous(channel, posted_now(number)) : channels_.post(channel);
  request = {ticket, channel, RequestState::receiving};
}

} // namespace timeless::replay
