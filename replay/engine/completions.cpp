#include "replay/engine/completions.h"

#include "replay/engine/core/messages.h"

#include <fmt/format.h>
#include <utility>

namespace timeless::replay {

using trace::RequestId;

/// Returns true when a request's part can be taken; otherwise the rank waits for it.
inline bool Completions::ready(RankState& rank, RequestId id) {
  const Request request = rank.requests[id];
  switch (request.state) {
  case RequestState::inactive:
    fail(fmt::format("a completion of request {}, which is not active", id));
  case RequestState::unresolved:
    fail(fmt::format("a completion of request {}, a receive whose source is unknown", id));
  case RequestState::receiving:
    return has_message(core_, rank, request.subject, request.ticket);
  case RequestState::collective:
  case RequestState::file:
    return collectives_.is_complete(rank, request.subject);
  case RequestState::leaving:
    return rendezvous_.may_go_on(rank, request.subject);
  case RequestState::exchanging:
    return has_message(core_, rank, rendezvous_.receive_channel(request), request.ticket) &&
           rendezvous_.may_go_on(rank, request.subject);
  case RequestState::async:
    return scheduled_.has_ended(rank, request.subject);
  case RequestState::sent:
  case RequestState::done:
  case RequestState::transfer:
  case RequestState::file_transfer:
    break;
  }
  return true;
}

bool Completions::complete_one(RankState& rank, std::uint32_t number, RequestId id) {
  if (!ready(rank, id)) return false;
  Clock& clock = core_.clocks[number];
  const Request request = std::exchange(rank.requests[id], {});
  switch (request.state) {
  case RequestState::receiving:
    take<Pace::usual>(core_, clock, request.subject, request.ticket);
    break;
  case RequestState::collective:
    collectives_.take(number, request.subject);
    break;
  case RequestState::leaving:
  case RequestState::exchanging:
    rendezvous_.complete(number, request);
    break;
  case RequestState::async:
    core_.clocks.take(clock, scheduled_.incoming(request.subject));
    scheduled_.dismiss(request.subject);
    break;
  default:
    if (comes_later(request.state)) complete_other(number, request);
  }
  return true;
}

/// Fills the core's arrivals with what the requests stand for, all of them ready. `departures` of these are messages
/// sent.
/// True when some requests are neither messages nor collectives.
bool Completions::gather(RankState& rank, std::span<const RequestId> ids, std::size_t& departures) {
  core_.arrivals.clear();
  departures = 0;
  bool others = false;
  for (const RequestId id : ids) {
    const Request& request = rank.requests[id];
    switch (request.state) {
    case RequestState::receiving:
      core_.arrivals.push_back(incoming_of(message_of(core_.channels[request.subject], request.ticket)));
      break;
    case RequestState::collective:
      core_.arrivals.push_back(collectives_.incoming(request.subject));
      break;
    case RequestState::leaving:
    case RequestState::exchanging:
      departures += rendezvous_.add_arrivals(request);
      break;
    case RequestState::async:
      core_.arrivals.push_back(scheduled_.incoming(request.subject));
      break;
    default:
      others = others || comes_later(request.state);
    }
  }
  return others;
}

bool Completions::complete_all(RankState& rank, std::uint32_t number, std::span<const RequestId> ids) {
  for (; rank.stage < ids.size(); ++rank.stage) {
    const Request& request = rank.requests[ids[rank.stage]];
    // The common cases without further ado.
    if (request.state == RequestState::sent) continue;
    if (request.state == RequestState::receiving && core_.channels[request.subject].has(request.ticket)) continue;
    if (!ready(rank, ids[rank.stage])) return false;
  }
  Clock& clock = core_.clocks[number];
  std::size_t departures = 0;
  const bool others = gather(rank, ids, departures);
  take_arrivals(core_, clock, departures);
  if (others) complete_others(rank, number, ids);
  for (const RequestId id : ids) {
    Request& request = rank.requests[id];
    if (request.state == RequestState::inactive) fail_completed_twice(id);
    forget(clock, request);
    request.state = RequestState::inactive;
  }
  return true;
}

/// Forgets what the request stands for, which has been taken with others.
inline void Completions::forget(Clock& clock, const Request& request) {
  switch (request.state) {
  case RequestState::receiving:
    remove_taken(core_, request.subject, request.ticket);
    break;
  case RequestState::collective:
    collectives_.matching.leave(request.subject);
    break;
  case RequestState::leaving:
  case RequestState::exchanging:
    rendezvous_.forget(clock, request);
    break;
  case RequestState::async:
    scheduled_.dismiss(request.subject);
    break;
  default:
    break;
  }
}

/// Completes transfers, then files, as listed, after all messages of a completion.
void Completions::complete_others(RankState& rank, std::uint32_t number, std::span<const RequestId> ids) {
  const auto complete_where = [&](auto which) {
    for (const RequestId id : ids) {
      Request& request = rank.requests[id];
      if (!comes_later(request.state) || !which(request.state)) continue;
      complete_other(number, request);
      request.state = RequestState::done;
    }
  };
  complete_where([](RequestState state) { return state == RequestState::transfer; });
  complete_where([](RequestState) { return true; });
}

void Completions::complete_other(std::uint32_t number, const Request& request) {
  Clock& clock = core_.clocks[number];
  if (request.state == RequestState::transfer)
    core_.transfers.finish(clock, core_.transfers.release(request.subject));
  else if (request.state == RequestState::file_transfer)
    core_.transfers.finish_file(clock, core_.transfers.release(request.subject));
  else
    files_.take(number, request.subject, request.ticket);
}

void Completions::fail_completed_twice(RequestId id) {
  fail(fmt::format("request {} is completed twice at once", id));
}

} // namespace timeless::replay
