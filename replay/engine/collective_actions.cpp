#include "replay/engine/engine.h"

namespace timeless::replay {

using trace::Rank;

LinkClass Engine::collective_link(trace::CommunicatorId communicator) {
  auto& link = collective_links_[communicator];
  if (!link) link = network_.collective_link(communicators_.members(communicator));
  return *link;
}

std::uint32_t Engine::arrive(RankState& rank, std::uint32_t number, const CollectiveCall& call) {
  const std::uint32_t meeting = meetings_.arrive(call, world_rank(number), action(rank));
  if (tracer_ && !call.idle) tracer_->depart(number, world_rank(number), action(rank), PathTracer::Kind::collective);
  if (!call.idle) clocks_.meet(clocks_[number], meetings_[meeting].latest);
  if (meetings_[meeting].gathered) all_came(meeting);
  return meeting;
}

/// All members of this engine's share have come.
void Engine::all_came(std::uint32_t number) {
  if (remote_)
    hand_in(number);
  else
    close(number);
}

/// All have come: what it costs is known, and those who wait for it go on.
void Engine::close(std::uint32_t number) {
  Meeting& meeting = meetings_[number];
  const CollectiveCall& call = meeting.first.call;
  meeting.complete = true;
  CollectiveShape shape = call.shape;
  shape.library = library_; // other processes do not send theirs
  meeting.cost = collective_cost(options_.collectives, shape);
  const CollectiveCost& cost = meeting.cost;
  meeting.row = clocks_.rows().row(collective_link(call.communicator), cost.message_size());
  const Bytes bytes = whole_bytes(cost.message_size());
  if (!network_.overheads_by_lane())
    meeting.overhead = cost.sends * network_.send_overhead(bytes) +
                       cost.nonblocking_sends * network_.isend_overhead(bytes) +
                       cost.receives * network_.receive_overhead(bytes);
  for (const std::uint32_t member : meetings_.members(call.communicator))
    for_each_thread(member, [&](std::uint32_t one) {
      if (ranks_[one].waiting == Waiting::for_meeting && ranks_[one].subject == number) wake(one);
    });
}

bool Engine::is_complete(RankState& rank, std::uint32_t meeting) {
  if (meetings_[meeting].complete) return true;
  rank.waiting = Waiting::for_meeting;
  rank.subject = meeting;
  return false;
}

Incoming Engine::incoming(const Meeting& meeting) const {
  return {.sent = {.base = meeting.latest.values()},
          .row = meeting.row,
          .messages = meeting.cost.messages,
          .bytes = meeting.cost.bytes,
          .constants = meeting.cost.messages,
          .overhead = meeting.overhead,
          .reduced_bytes = meeting.cost.reduced_bytes,
          .collective = &meeting.cost};
}

void Engine::take_meeting(std::uint32_t number, std::uint32_t meeting) {
  clocks_.take(clocks_[number], incoming(meetings_[meeting]));
  meetings_.leave(meeting);
}

bool Engine::meet(RankState& rank, std::uint32_t number, const CollectiveCall& call) {
  if (rank.stage == 0) {
    rank.ticket = arrive(rank, number, call);
    rank.stage = 1;
  }
  if (call.idle) {
    meetings_.leave(static_cast<std::uint32_t>(rank.ticket));
    return true;
  }
  const auto meeting = static_cast<std::uint32_t>(rank.ticket);
  if (!is_complete(rank, meeting)) return false;
  take_meeting(number, meeting);
  return true;
}

void Engine::start_meeting(RankState& rank, std::uint32_t number, const Operation& operation) {
  const CollectiveCall& call = rank.program.calls[operation.call];
  Request& request = start(rank, operation.request);
  request = {0, arrive(rank, number, call), RequestState::collective};
  if (!call.idle) return;
  meetings_.leave(request.subject);
  request = {.state = RequestState::done};
}

} // namespace timeless::replay
