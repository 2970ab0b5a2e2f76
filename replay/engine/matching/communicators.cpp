#include "replay/engine/matching/communicators.h"

#include "base/error.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace timeless::replay {

using trace::CommunicatorId;
using trace::Rank;

namespace {

bool same_groups(const trace::Communicator& left, const trace::Communicator& right) {
  return (left.members == right.members && left.remote_members == right.remote_members) ||
         (left.members == right.remote_members && left.remote_members == right.members);
}

} // namespace

Communicators::Communicators(const trace::Run& run) {
  std::vector<std::uint32_t> seen(static_cast<std::size_t>(std::max(run.size, 0)), 0);
  std::unordered_map<std::uint64_t, CommunicatorId> by_identity;
  for (const trace::Communicator& communicator : run.communicators) {
    const auto id = static_cast<CommunicatorId>(members_.size());
    enter(communicator, run.size, seen);
    const auto [known, added] = by_identity.try_emplace(communicator.identity, id);
    const bool same =
        !added && communicator.identity != 0 && same_groups(communicator, run.communicators[known->second]);
    canonical_.push_back(same ? known->second : id);
  }
}

void Communicators::enter(const trace::Communicator& communicator, Rank size, std::vector<std::uint32_t>& seen) {
  const std::size_t id = members_.size();
  auto& members = members_.emplace_back(communicator.members);
  members.insert(members.end(), communicator.remote_members.begin(), communicator.remote_members.end());
  groups_.push_back(communicator.remote_members.empty() ? 0 : communicator.members.size());
  foreign_.push_back(communicator.foreign_members() > 0);
  auto& places = places_.emplace_back();
  bool in_order = true;
  for (std::uint32_t member = 0; member < members.size(); ++member) {
    const Rank rank = members[member];
    if (rank == trace::foreign_rank) {
      in_order = false;
      continue;
    }
    if (rank < 0 || rank >= size)
      throw Error(Failure::invalid_input,
                  "a communicator has a member that the run does not have: " + std::to_string(rank),
                  "communicator " + std::to_string(id));
    auto& mark = seen[static_cast<std::size_t>(rank)];
    if (mark == id + 1)
      throw Error(Failure::invalid_input, "a communicator has a member twice: " + std::to_string(rank),
                  "communicator " + std::to_string(id));
    mark = static_cast<std::uint32_t>(id + 1);
    in_order = in_order && rank == static_cast<Rank>(member);
    places.push_back({rank, member});
  }
  if (in_order)
    places = {};
  else
    std::ranges::sort(places, {}, &RankMember::rank);
}

Communicators::View Communicators::view(CommunicatorId id, Rank rank) const {
  if (id >= canonical_.size())
    throw Error(Failure::invalid_input, "there is no communicator " + std::to_string(id) + " in this run");
  id = canonical_[id];
  const auto& members = members_[id];
  const auto& places = places_[id];
  auto member = static_cast<std::size_t>(rank);
  bool found = member < members.size();
  if (!places.empty()) {
    const auto place = std::ranges::lower_bound(places, rank, {}, &RankMember::rank);
    found = place != places.end() && place->rank == rank;
    if (found) member = place->member;
  }
  if (!found) throw Error(Failure::invalid_input, "this rank is no member of communicator " + std::to_string(id));
  std::span<const Rank> peers = members;
  if (groups_[id] != 0) peers = member < groups_[id] ? peers.subspan(groups_[id]) : peers.first(groups_[id]);
  return {.id = id, .peers = peers, .member = static_cast<std::uint32_t>(member)};
}

Rank world_rank(const Communicators::View& view, Rank peer, const char* what) {
  if (peer < 0 || static_cast<std::size_t>(peer) >= view.peers.size())
    throw Error(Failure::invalid_input, "the " + std::string(what) + " " + std::to_string(peer) +
                                            " is no rank of communicator " + std::to_string(view.id) + ", which has " +
                                            std::to_string(view.peers.size()));
  return view.peers[static_cast<std::size_t>(peer)];
}

} // namespace timeless::replay
