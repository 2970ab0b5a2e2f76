#include "replay/engine/outcome.h"

#include "replay/engine/clocks/readings.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <utility>

namespace timeless::replay {

using trace::Rank;

std::vector<RankStatus> Outcome::status() const {
  std::vector<RankStatus> all;
  for (std::uint32_t number = 0; number < core_.ranks.size(); ++number) {
    const RankState& rank = core_.ranks[number];
    if (!rank.finished && rank.waiting != Waiting::for_block) all.push_back(status(number));
  }
  return all;
}

/// Returns the status of a rank that stands.
RankStatus Outcome::status(std::uint32_t number) const {
  const RankState& rank = core_.ranks[number];
  RankStatus one{.rank = core_.world_rank(number),
                 .action = rank.action(),
                 .call = trace::mpi_name(rank.dictionary()[rank.sequence[rank.position]]),
                 .for_instance = rank.waiting == Waiting::for_instance || rank.waiting == Waiting::for_step ||
                                 rank.waiting == Waiting::for_async_collective};
  if (rank.several) one.thread = rank.thread->all->division.number(rank.thread->place);
  if (rank.waiting == Waiting::for_thread) {
    const RankThread& other = *core_.ranks[rank.subject].thread;
    one.for_thread = other.all->division.number(other.place);
  } else if (one.for_instance) {
    const bool whole = rank.waiting == Waiting::for_instance;
    const auto position =
        whole ? ScheduledCollectives::Position{.instance = rank.subject} : scheduled_.position(number);
    const CollectiveInstance& instance = collectives_.matching[position.instance];
    const CollectiveCall& call = instance.first.call;
    one.instance = {call.communicator, instance.ordinal, describe(call)};
    if (whole) return one;
    one.member = core_.communicators.members(call.communicator)[position.member];
    one.only_member = neighbourhood(call.shape.kind);
  } else if (rank.waiting == Waiting::for_posting) {
    const Handshake& handshake = rendezvous_[rank.subject];
    one.channel = core_.channels.key(handshake.channel);
    one.sends = handshake.bytes;
  } else {
    one.channel = core_.channels.key(rank.subject);
  }
  return one;
}

/// Returns, for each scheduled collective that some members went through and others never reached, its first member as
/// if it stood there still: were it not carried out step by step, it would.
std::vector<RankStatus> Outcome::deserted() const {
  std::vector<RankStatus> all;
  collectives_.matching.for_each_deserted([&](const CollectiveInstance& instance) {
    const std::string call = describe(instance.first.call);
    all.push_back({.rank = instance.first.rank,
                   .action = instance.first.action,
                   .call = call,
                   .for_instance = true,
                   .instance = {instance.first.call.communicator, instance.ordinal, call}});
  });
  if (!core_.remote) return all;
  for (const auto& [id, gathering] : collectives_.gatherings()) {
    const Caller& first = gathering.all.caller;
    if (!first.call.scheduled) continue;
    const std::string call = describe(first.call);
    all.push_back({.rank = first.rank,
                   .action = first.action,
                   .call = call,
                   .for_instance = true,
                   .instance = {id.first, id.second, call}});
  }
  return all;
}

Ending Outcome::ending() const {
  Ending ending;
  if (!core_.all_finished()) ending.status = status();
  ending.deserted = deserted();
  ending.leftovers = leftovers(core_.channels);
  if (!core_.remote && ending.status.empty() && ending.deserted.empty()) return ending;
  for (trace::CommunicatorId id = 0; id < core_.communicators.size(); ++id) {
    const auto members = core_.communicators.members(id);
    for (std::uint32_t member = 0; member < members.size(); ++member)
      if (const std::uint64_t calls = collectives_.matching.calls(id, member);
          calls > 0 && core_.local_ranks.holds(members[member]))
        ending.calls.push_back({id, member, calls});
  }
  const auto add = [&](const CollectiveInstance& instance) {
    ending.open_collectives.push_back({instance.ordinal, instance.first});
  };
  collectives_.matching.for_each_incomplete(add);
  if (core_.remote)
    for (const auto& [id, number] : collectives_.handed_in())
      add(collectives_.matching[number]);
  return ending;
}

Outcome::LastRank Outcome::last_rank() {
  LastRank last;
  for (std::uint32_t number = 0; number < core_.ranks.size(); ++number)
    core_.clocks.settle(core_.clocks[number]);
  for (std::uint32_t number = 0; number < core_.local_ranks.size(); ++number) {
    const double end = times(core_.clocks.model, core_.clocks[teams_.last_thread(number, 0)], 0).end;
    if (end > last.end) last = {core_.world_rank(number), end};
  }
  return last;
}

PathPiece Outcome::end_of_path(Rank rank) {
  const std::uint32_t number = teams_.last_thread(static_cast<std::uint32_t>(rank - core_.local_ranks.begin), 0);
  return core_.explanation.paths->end_of_path(number, rank, core_.ranks[number].action());
}

Attribution Outcome::attribution(std::size_t lanes) {
  for (std::uint32_t number = 0; number < core_.ranks.size(); ++number)
    if (const RankState& rank = core_.ranks[number]; !rank.several)
      core_.explanation.attributor->count_to(number, rank.whole_sequence(), rank.position);
  for (const RankThreads& all : teams_.teams()) {
    std::vector<std::uint32_t> last;
    for (std::size_t lane = 0; lane < lanes; ++lane)
      last.push_back(teams_.last_thread(all.rank, lane));
    core_.explanation.attributor->unite(all.rank, all.players, last);
  }
  return core_.explanation.attributor->result(
      lanes, core_.local_ranks.begin, core_.local_ranks.size(), [this](std::size_t rank, std::size_t lane) {
        return teams_.counted(teams_.last_thread(static_cast<std::uint32_t>(rank), lane), lane);
      });
}

Result Outcome::result() {
  Result result;
  result.actions = core_.actions;
  for (std::size_t number = 0; number < core_.ranks.size(); ++number)
    core_.clocks.settle(core_.clocks[number]);
  const std::size_t lanes = core_.network.lanes.size();
  if (core_.explanation.attributor) result.attribution = attribution(lanes);
  if (core_.explanation.paths && !core_.remote && !rendezvous_.deadlock(0)) {
    std::vector<PathNode> nodes = end_of_path(last_rank().rank).nodes;
    std::ranges::reverse(nodes);
    const double began = nodes.empty() ? 0 : core_.clocks[static_cast<std::size_t>(nodes.front().rank)].start;
    result.critical_path = path_segments(nodes, core_.options.overlap, began);
  }
  // The ideal lane comes after the network's.
  double ideal_makespan = 0;
  for (std::size_t number = 0; core_.options.ideal && number < core_.ranks.size(); ++number)
    ideal_makespan = std::max(ideal_makespan, times(core_.clocks.model, core_.clocks[number], lanes).end);
  for (std::size_t lane = 0; lane < lanes; ++lane)
    result.lanes.push_back(lane_result(lane, ideal_makespan));
  return result;
}

LaneResult Outcome::lane_result(std::size_t lane, double ideal_makespan) {
  LaneResult one;
  one.name = core_.network.lanes[lane].name;
  if (rendezvous_.deadlock(lane)) {
    one.deadlock = rendezvous_.deadlock(lane);
    one.makespan = std::numeric_limits<double>::infinity();
    return one;
  }
  if (core_.options.ideal) one.ideal_makespan = ideal_makespan * core_.clocks.model.rows.compute_scale()[lane];
  for (std::uint32_t number = 0; number < core_.local_ranks.size(); ++number) {
    const std::uint32_t last = teams_.last_thread(number, lane);
    one.ranks.push_back(teams_.counted(last, lane));
    if (core_.options.sensitivities)
      one.rank_sensitivities.push_back(sensitivity(core_.clocks.model, core_.clocks[last], lane));
  }
  tell_threads(lane, one);
  if (!core_.remote) find_makespan(one); // else of all processes together
  return one;
}

void Outcome::tell_threads(std::size_t lane, LaneResult& result) const {
  for (std::uint32_t number = 0; number < core_.local_ranks.size(); ++number) {
    if (!core_.ranks[number].several) continue;
    const RankThreads& all = *core_.ranks[number].thread->all;
    for (std::uint32_t place = 0; place < all.players.size(); ++place)
      result.threads.push_back({core_.world_rank(number), all.division.number(place),
                                times(core_.clocks.model, core_.clocks[all.players[place]], lane)});
  }
}

Findings Outcome::findings() const {
  Findings findings{.notes = {}, .open_requests = 0, .not_modelled = core_.not_modelled.counts()};
  if (core_.compiler.uses_files() && core_.options.file_system.assumed)
    findings.notes.insert("the file system is assumed: " + describe(core_.options.file_system));
  for (RankState& rank : core_.ranks)
    rank.requests.for_each_active([&](const Request&) { ++findings.open_requests; });
  for (std::uint32_t number = 0; core_.options.incast && number < core_.ranks.size(); ++number) {
    Findings one;
    one.incast = {core_.world_rank(number), core_.clocks.incast(number)};
    findings.add(one);
  }
  findings.order_matters = core_.clocks.order_matters() || teams_.cores_lacked();
  if (core_.explanation.attributor && core_.explanation.attributor->crowded())
    findings.notes.insert(
        "there was no memory to divide every rank's time: what comes later is under 'others' (fewer configurations "
        "need less)");
  return findings;
}

} // namespace timeless::replay
