#include "replay/engine/engine.h"

namespace timeless::replay {

using trace::Rank;

LinkClass Engine::collective_link(trace::CommunicatorId communicator) {
  auto& link = collective_links_[communicator];
  if (!link) link = network_.collective_link(communicators_.members(communicator));
  return *link;
}

std::uint32_t Engine::arrive(RankState& rank, std::uint32_t number, const CollectiveCall& call) {
  const std::uint32_t instance = matching_.arrive(call, world_rank(number), action(rank));
  if (tracer_ && !call.idle) tracer_->depart(number, world_rank(number), action(rank), PathTracer::Kind::collective);
  if (!call.idle) clocks_.meet(clocks_[number], matching_[instance].latest);
  if (matching_[instance].gathered) all_came(instance);
  return instance;
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
  CollectiveInstance& instance = matching_[number];
  const CollectiveCall& call = instance.first.call;
  instance.complete = true;
  CollectiveShape shape = call.shape;
  shape.library = library_; // other processes do not send theirs
  instance.cost = collective_cost(options_.collectives, shape);
  const CollectiveCost& cost = instance.cost;
  instance.row = clocks_.rows().row(collective_link(call.communicator), cost.message_size());
  const Bytes bytes = whole_bytes(cost.message_size());
  if (!network_.overheads_by_lane())
    instance.overhead = cost.sends * network_.send_overhead(bytes) +
                        cost.nonblocking_sends * network_.isend_overhead(bytes) +
                        cost.receives * network_.receive_overhead(bytes);
  for (const std::uint32_t member : matching_.members(call.communicator))
    for_each_thread(member, [&](std::uint32_t one) {
      if (ranks_[one].waiting == Waiting::for_instance && ranks_[one].subject == number) wake(one);
    });
}

bool Engine::is_complete(RankState& rank, std::uint32_t instance) {
  if (matching_[instance].complete) return true;
  rank.waiting = Waiting::for_instance;
  rank.subject = instance;
  return false;
}

Incoming Engine::incoming(const CollectiveInstance& instance) const {
  return {.sent = {.base = instance.latest.values()},
          .row = instance.row,
          .messages = instance.cost.messages,
          .bytes = instance.cost.bytes,
          .constants = instance.cost.messages,
          .overhead = instance.overhead,
          .reduced_bytes = instance.cost.reduced_bytes,
          .collective = &instance.cost};
}

void Engine::take_instance(std::uint32_t number, std::uint32_t instance) {
  clocks_.take(clocks_[number], incoming(matching_[instance]));
  matching_.leave(instance);
}

bool Engine::meet(RankState& rank, std::uint32_t number, const CollectiveCall& call) {
  if (rank.stage == 0) {
    rank.ticket = arrive(rank, number, call);
    rank.stage = 1;
  }
  if (call.idle) {
    matching_.leave(static_cast<std::uint32_t>(rank.ticket));
    return true;
  }
  const auto instance = static_cast<std::uint32_t>(rank.ticket);
  if (!is_complete(rank, instance)) return false;
  take_instance(number, instance);
  return true;
}

void Engine::start_instance(RankState& rank, std::uint32_t number, const Operation& operation) {
  const CollectiveCall& call = rank.program.calls[operation.call];
  Request& request = start(rank, operation.request);
  request = {0, arrive(rank, number, call), RequestState::collective};
  if (!call.idle) return;
  matching_.leave(request.subject);
  request = {.state = RequestState::done};
}

} // namespace timeless::replay
