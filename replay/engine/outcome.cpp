#include "replay/engine/engine.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <utility>

namespace timeless::replay {

using trace::Rank;

std::string Engine::where(std::uint32_t number) const {
  return fmt::format("rank {}, action {}", world_rank(number), action(ranks_[number]));
}

std::vector<RankStatus> Engine::status() const {
  std::vector<RankStatus> all;
  for (std::uint32_t number = 0; number < ranks_.size(); ++number) {
    const RankState& rank = ranks_[number];
    if (rank.finished || rank.waiting == Waiting::for_block) continue;
    RankStatus& one = all.emplace_back(
        RankStatus{.rank = world_rank(number),
                   .action = action(rank),
                   .call = trace::mpi_name(dictionary(rank)[rank.sequence[rank.position]]),
                   .for_instance = rank.waiting == Waiting::for_instance || rank.waiting == Waiting::for_step ||
                                   rank.waiting == Waiting::for_agent});
    if (rank.several) one.thread = rank.thread->all->division.number(rank.thread->place);
    if (rank.waiting == Waiting::for_thread) {
      const RankThread& other = *ranks_[rank.subject].thread;
      one.for_thread = other.all->division.number(other.place);
    } else if (one.for_instance) {
      const Progress* progress = nullptr;
      if (rank.waiting == Waiting::for_step) progress = &progress_[number];
      if (rank.waiting == Waiting::for_agent) progress = &agents_[rank.subject].progress;
      const CollectiveInstance& instance = matching_[progress ? progress->instance : rank.subject];
      const CollectiveCall& call = instance.first.call;
      one.instance = {call.communicator, instance.ordinal, describe(call)};
      if (progress) {
        const bool sends = progress->awaited != no_handshake;
        one.member = communicators_.members(
            call.communicator)[sends ? handshakes_[progress->awaited].receiver : progress->step.from];
        one.only_member = neighbourhood(call.shape.kind);
      }
    } else if (rank.waiting == Waiting::for_posting) {
      one.channel = channels_.key(handshakes_[rank.subject].channel);
      one.sends = handshakes_[rank.subject].bytes;
    } else {
      one.channel = channels_.key(rank.subject);
    }
  }
  return all;
}

/// For each scheduled collective that some members went through and others never reached, its first member as if it
/// stood there still: were it not carried out step by step, it would.
std::vector<RankStatus> Engine::deserted() const {
  std::vector<RankStatus> all;
  matching_.for_each_deserted([&](const CollectiveInstance& instance) {
    const std::string call = describe(instance.first.call);
    all.push_back({.rank = instance.first.rank,
                   .action = instance.first.action,
                   .call = call,
                   .for_instance = true,
                   .instance = {instance.first.call.communicator, instance.ordinal, call}});
  });
  if (!remote_) return all;
  for (const auto& [id, gathering] : remote_->gatherings) {
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

Ending Engine::ending() {
  Ending ending;
  if (finished_ < ranks_.size()) ending.status = status();
  ending.deserted = deserted();
  ending.leftovers = leftovers(channels_);
  if (!remote_ && ending.status.empty() && ending.deserted.empty()) return ending;
  for (trace::CommunicatorId id = 0; id < communicators_.size(); ++id) {
    const auto members = communicators_.members(id);
    for (std::uint32_t member = 0; member < members.size(); ++member)
      if (const std::uint64_t calls = matching_.calls(id, member); calls > 0 && share_.holds(members[member]))
        ending.calls.push_back({id, member, calls});
  }
  const auto add = [&](const CollectiveInstance& instance) {
    ending.open_collectives.push_back({instance.ordinal, instance.first});
  };
  matching_.for_each_incomplete(add);
  if (remote_)
    for (const auto& [id, number] : remote_->handed_in)
      add(matching_[number]);
  return ending;
}

Engine::LastRank Engine::last_rank() {
  LastRank last;
  for (std::uint32_t number = 0; number < ranks_.size(); ++number)
    clocks_.settle(clocks_[number]);
  for (std::uint32_t number = 0; number < share_.size(); ++number) {
    const double end = clocks_.times(clocks_[last_thread(number, 0)], 0).end;
    if (end > last.end) last = {world_rank(number), end};
  }
  return last;
}

PathPiece Engine::end_of_path(Rank rank) {
  const std::uint32_t number = last_thread(static_cast<std::uint32_t>(rank - share_.begin), 0);
  return tracer_->end_of_path(number, rank, action(ranks_[number]));
}

Attribution Engine::attribution(std::size_t lanes) {
  for (const RankThreads& all : teams_) {
    std::vector<std::uint32_t> last;
    for (std::size_t lane = 0; lane < lanes; ++lane)
      last.push_back(last_thread(all.rank, lane));
    attributor_->unite(all.rank, all.players, last);
  }
  return attributor_->result(lanes, share_.begin, share_.size(), [this](std::size_t rank, std::size_t lane) {
    return counted(last_thread(static_cast<std::uint32_t>(rank), lane), lane);
  });
}

Result Engine::result() {
  Result result;
  result.actions = actions_;
  for (std::size_t number = 0; number < ranks_.size(); ++number)
    clocks_.settle(clocks_[number]);
  const auto names = network_.lanes();
  if (attributor_) result.attribution = attribution(names.size());
  if (tracer_ && !remote_ && !deadlocks_[0]) {
    std::vector<PathNode> nodes = end_of_path(last_rank().rank).nodes;
    std::ranges::reverse(nodes);
    const double began = nodes.empty() ? 0 : clocks_[static_cast<std::size_t>(nodes.front().rank)].start;
    result.critical_path = path_segments(nodes, options_.overlap, began);
  }
  // The ideal lane comes after the network's.
  double ideal_makespan = 0;
  for (std::size_t number = 0; options_.ideal && number < ranks_.size(); ++number)
    ideal_makespan = std::max(ideal_makespan, clocks_.times(clocks_[number], names.size()).end);
  for (std::size_t lane = 0; lane < names.size(); ++lane) {
    LaneResult& one = result.lanes.emplace_back();
    one.name = names[lane];
    if (deadlocks_[lane]) {
      one.deadlock = deadlocks_[lane];
      one.makespan = std::numeric_limits<double>::infinity();
      continue;
    }
    if (options_.ideal) one.ideal_makespan = ideal_makespan * clocks_.rows().compute_scale()[lane];
    for (std::uint32_t number = 0; number < share_.size(); ++number) {
      const std::uint32_t last = last_thread(number, lane);
      one.ranks.push_back(counted(last, lane));
      if (options_.sensitivities) one.rank_sensitivities.push_back(clocks_.sensitivity(clocks_[last], lane));
    }
    tell_threads(lane, one);
    if (!remote_) find_makespan(one); // else of all shares together
  }
  return result;
}

void Engine::tell_threads(std::size_t lane, LaneResult& result) const {
  for (std::uint32_t number = 0; number < share_.size(); ++number) {
    if (!ranks_[number].several) continue;
    const RankThreads& all = *ranks_[number].thread->all;
    for (std::uint32_t place = 0; place < all.players.size(); ++place)
      result.threads.push_back(
          {world_rank(number), all.division.number(place), clocks_.times(clocks_[all.players[place]], lane)});
  }
}

/// Of a whole block at once: what is begun will be replayed, or the replay fails.
void Engine::count_not_modelled(const Program& program, const trace::ActionBlock& block, std::size_t number) {
  std::vector<std::uint64_t> calls(program.operations.size());
  for (const std::uint32_t entry : block.sequence())
    ++calls[entry];
  for (const auto& [entry, what] : program.unmodelled)
    if (calls[entry] > 0) not_modelled_.add(what, number, calls[entry]);
}

Findings Engine::findings() {
  Findings findings{.notes = notes_, .open_requests = 0, .not_modelled = not_modelled_.counts()};
  if (compiler_.uses_files() && options_.file_system.assumed)
    findings.notes.insert("the file system is assumed: " + describe(options_.file_system));
  for (RankState& rank : ranks_)
    rank.requests.for_each_active([&](const Request&) { ++findings.open_requests; });
  for (std::uint32_t number = 0; options_.incast && number < ranks_.size(); ++number) {
    Findings one;
    one.incast = {world_rank(number), clocks_.incast(number)};
    findings.add(one);
  }
  findings.order_matters = clocks_.order_matters() || cores_lacked_;
  if (attributor_ && attributor_->crowded())
    findings.notes.insert(
        "there was no memory to divide every rank's time: what comes later is under 'others' (fewer configurations "
        "need less)");
  return findings;
}

} // namespace timeless::replay
