#include "replay/engine/engine.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <utility>

namespace timeless::replay {

using trace::Rank;

std::string Engine::where(std::uint32_t number) const {
  return fmt::format("rank {}, action {}", world_rank(number), action(ranks_[number]));
}

std::vector<Standing> Engine::standing() const {
  std::vector<Standing> all;
  for (std::uint32_t number = 0; number < ranks_.size(); ++number) {
    const RankState& rank = ranks_[number];
    if (rank.finished) continue;
    Standing& one =
        all.emplace_back(Standing{.rank = world_rank(number),
                                  .action = action(rank),
                                  .call = trace::mpi_name(rank.block.dictionary()[rank.sequence[rank.position]]),
                                  .for_meeting = rank.waiting == Waiting::for_meeting});
    if (one.for_meeting) {
      const Meeting& meeting = meetings_[rank.subject];
      const CollectiveCall& call = meeting.first.call;
      one.meeting = {call.communicator, meeting.ordinal, describe(call)};
    } else {
      one.channel = channels_.key(rank.subject);
    }
  }
  return all;
}

Ending Engine::ending() {
  Ending ending;
  ending.standing = standing();
  ending.leftovers = leftovers(channels_);
  if (!remote_ && ending.standing.empty()) return ending;
  for (trace::CommunicatorId id = 0; id < communicators_.size(); ++id) {
    const auto members = communicators_.members(id);
    for (std::uint32_t member = 0; member < members.size(); ++member)
      if (const std::uint64_t calls = meetings_.calls(id, member); calls > 0 && share_.holds(members[member]))
        ending.calls.push_back({id, member, calls});
  }
  const auto add = [&](const Meeting& meeting) { ending.meetings.push_back({meeting.ordinal, meeting.first}); };
  meetings_.for_each_incomplete(add);
  if (remote_)
    for (const auto& [id, number] : remote_->handed_in)
      add(meetings_[number]);
  return ending;
}

Result Engine::result() {
  Result result;
  result.actions = actions_;
  for (std::size_t number = 0; number < ranks_.size(); ++number)
    clocks_.settle(clocks_[number]);
  const auto names = network_.lanes();
  if (attributor_) result.attribution = attributor_->result(names.size(), share_.begin);
  // The ideal lane comes after the network's.
  double ideal_makespan = 0;
  for (std::size_t number = 0; options_.ideal && number < ranks_.size(); ++number)
    ideal_makespan = std::max(ideal_makespan, clocks_.times(clocks_[number], names.size()).end);
  for (std::size_t lane = 0; lane < names.size(); ++lane) {
    LaneResult& one = result.lanes.emplace_back();
    one.name = names[lane];
    if (options_.ideal) one.ideal_makespan = ideal_makespan * clocks_.rows().compute_scale()[lane];
    for (std::size_t number = 0; number < ranks_.size(); ++number) {
      one.ranks.push_back(clocks_.times(clocks_[number], lane));
      if (options_.sensitivities) one.rank_sensitivities.push_back(clocks_.sensitivity(clocks_[number], lane));
    }
    find_makespan(one);
  }
  return result;
}

Findings Engine::findings() {
  Findings findings{.notes = notes_, .open_requests = 0};
  for (const std::string_view note : compiler_.notes())
    findings.notes.emplace(note);
  for (RankState& rank : ranks_)
    rank.requests.for_each_active([&](const Request&) { ++findings.open_requests; });
  if (attributor_ && attributor_->crowded())
    findings.notes.insert(
        "there was no memory to divide every rank's time: what comes later is under 'others' (fewer configurations "
        "need less)");
  return findings;
}

} // namespace timeless::replay
