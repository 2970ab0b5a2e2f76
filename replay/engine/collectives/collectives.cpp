#include "replay/engine/collectives/collectives.h"

namespace timeless::replay {

LinkClass Collectives::link(trace::CommunicatorId communicator) {
  auto& link = links_[communicator];
  if (!link) link = core_.clocks.model.rows.collective_link(core_.communicators.members(communicator));
  return *link;
}

std::uint32_t Collectives::arrive(const RankState& rank, std::uint32_t number, const CollectiveCall& call) {
  const std::uint32_t instance = matching.arrive(call, core_.world_rank(number), rank.action());
  if (!call.idle) {
    core_.depart(number, PathTracer::Kind::collective);
    core_.clocks.raise_to_clock(core_.clocks[number], matching[instance].latest);
  }
  if (!matching[instance].gathered) return instance;
  if (core_.remote)
    hand_in(instance);
  else
    close(instance);
  return instance;
}

/// Closes a collective to which all have come: what it costs is known, and those who wait for it go on.
void Collectives::close(std::uint32_t number) {
  CollectiveInstance& instance = matching[number];
  const CollectiveCall& call = instance.first.call;
  const Overheads& overheads = core_.network.overheads;
  instance.complete = true;
  CollectiveShape shape = call.shape;
  shape.library = core_.library; // other processes do not send theirs
  instance.cost = collective_cost(core_.options.collectives, shape);
  const CollectiveCost& cost = instance.cost;
  instance.row = core_.clocks.model.rows.row(link(call.communicator), cost.message_size());
  const Bytes bytes = whole_bytes(cost.message_size());
  instance.overhead = cost.sends * overheads.send(bytes) + cost.nonblocking_sends * overheads.nonblocking_send(bytes) +
                      cost.receives * overheads.receive(bytes);
  for (const std::uint32_t member : matching.members(call.communicator))
    core_.wake_those(member, Waiting::for_instance, number);
}

Incoming Collectives::incoming(std::uint32_t number) const {
  const CollectiveInstance& instance = matching[number];
  return {.sent = {.base = instance.latest.values()},
          .row = instance.row,
          .messages = instance.cost.messages,
          .bytes = instance.cost.bytes,
          .constants = instance.cost.messages,
          .overhead = instance.overhead,
          .reduced_bytes = instance.cost.reduced_bytes,
          .collective = &instance.cost};
}

void Collectives::take(std::uint32_t number, std::uint32_t instance) {
  core_.clocks.take(core_.clocks[number], incoming(instance));
  matching.leave(instance);
}

bool Collectives::enter(RankState& rank, std::uint32_t number, const CollectiveCall& call) {
  if (rank.stage == 0) {
    rank.ticket = arrive(rank, number, call);
    rank.stage = 1;
  }
  const auto instance = static_cast<std::uint32_t>(rank.ticket);
  if (call.idle) {
    matching.leave(instance);
    return true;
  }
  if (!is_complete(rank, instance)) return false;
  take(number, instance);
  return true;
}

void Collectives::start(RankState& rank, std::uint32_t number, const Operation& operation) {
  const CollectiveCall& call = rank.program.calls[operation.call];
  Request& request = rank.start(operation.request);
  request = {0, arrive(rank, number, call), RequestState::collective};
  if (!call.idle) return;
  matching.leave(request.subject);
  request = {.state = RequestState::done};
}

// ---- with several processes

void Collectives::hand_in(std::uint32_t number) {
  CollectiveInstance& instance = matching[number];
  const InstanceId id{instance.first.call.communicator, instance.ordinal};
  const auto& participants = core_.remote->participants(id.first, core_.communicators);
  const bool scheduled = instance.first.call.scheduled;
  if (participants.size() == 1) return scheduled ? void() : close(number);
  if (!scheduled) {
    handed_in_.emplace(id, number);
    // Who has no part in it leaves before all have come.
    ++instance.to_leave;
  }
  const Partial partial{instance.first, instance.latest};
  const int coordinator = Remote::coordinator(id, participants);
  if (coordinator == core_.remote->self())
    combine(id, partial);
  else
    core_.remote->instance(RecordKind::partial, coordinator, id, partial);
}

void Collectives::combine(const InstanceId& id, const Partial& partial) {
  Gathering& gathering = gatherings_[id];
  const Caller& caller = partial.caller;
  if (gathering.parts++ == 0) {
    gathering.all = partial;
  } else {
    unite(gathering.all.caller, caller.call, caller.rank, caller.action, id.second);
    if (partial.latest) core_.clocks.join(partial.latest, gathering.all.latest);
  }
  const auto& participants = core_.remote->participants(id.first, core_.communicators);
  if (gathering.parts < participants.size()) return;
  const Partial all = std::move(gathering.all);
  gatherings_.erase(id);
  if (all.caller.call.scheduled) return;
  for (const int process : participants)
    if (process != core_.remote->self()) core_.remote->instance(RecordKind::result, process, id, all);
  conclude(id, all);
}

void Collectives::conclude(const InstanceId& id, const Partial& all) {
  const auto handed_in = handed_in_.find(id);
  if (handed_in == handed_in_.end())
    throw Error(Failure::runtime, "the processes of a replay disagree on who is in a collective together");
  const std::uint32_t number = handed_in->second;
  handed_in_.erase(handed_in);
  CollectiveInstance& instance = matching[number];
  instance.first.call.shape = all.caller.call.shape;
  instance.first.call.moved = all.caller.call.moved;
  instance.latest = all.latest;
  close(number);
  matching.leave(number);
}

} // namespace timeless::replay
