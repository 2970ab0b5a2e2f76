#include "trace/codec/relative_ranks.h"

#include "base/error.h"
#include "trace/codec/entry_codec.h"

#include <algorithm>

namespace timeless::trace {

namespace {

bool has_partners(ActionFamily family) {
  return family == ActionFamily::point_to_point || family == ActionFamily::request ||
         family == ActionFamily::one_sided || family == ActionFamily::epoch;
}

/// Returns the shorter way around.
Rank difference(Rank to, RankPosition own) {
  Rank way = to - own.rank;
  if (2 * std::int64_t{way} > own.size) way -= own.size;
  if (2 * std::int64_t{way} <= -std::int64_t{own.size}) way += own.size;
  return way;
}

Rank absolute(Rank way, RankPosition own) {
  if (own.rank == no_rank || way <= -own.size || way >= own.size)
    throw Error(Failure::invalid_input, "a relative rank that leads out of its communicator");
  const Rank to = own.rank + way;
  return to < 0 ? to + own.size : (to >= own.size ? to - own.size : to);
}

bool better_relative(Rank to, RankPosition own) {
  return to < own.size && (to > 0 || (to == 0 && own.rank == 1));
}

} // namespace

RankPosition own_place(const Communicator& communicator, Rank world_rank) {
  if (!communicator.remote_members.empty()) return {};
  const auto& members = communicator.members;
  const auto size = static_cast<Rank>(members.size());
  if (world_rank < size && members[static_cast<std::size_t>(world_rank)] == world_rank) return {world_rank, size};
  const auto found = std::ranges::find(members, world_rank);
  if (found == members.end()) return {};
  return {static_cast<Rank>(found - members.begin()), size};
}

std::uint8_t make_relative(Action& action, RankPosition own, std::vector<Rank>& list) {
  // The peer of a collective is its root, which is the same for all; its neighbours are not.
  if (own.rank == no_rank || (!has_partners(family(action.kind)) && action.ranks.empty())) return 0;
  std::uint8_t relative = 0;
  if (better_relative(action.peer, own)) {
    action.peer = difference(action.peer, own);
    relative |= relative_peer;
  }
  if (better_relative(action.receive_peer, own)) {
    action.receive_peer = difference(action.receive_peer, own);
    relative |= relative_receive_peer;
  }
  if (!action.ranks.empty() &&
      std::ranges::all_of(action.ranks, [own](Rank rank) { return rank >= 0 && rank < own.size; })) {
    list.clear();
    for (const Rank rank : action.ranks)
      list.push_back(difference(rank, own));
    action.ranks = list;
    relative |= relative_ranks;
  }
  return relative;
}

void make_absolute(Action& action, std::uint8_t relative, RankPosition own, std::vector<Rank>& list) {
  if ((relative & relative_peer) != 0) action.peer = absolute(action.peer, own);
  if ((relative & relative_receive_peer) != 0) action.receive_peer = absolute(action.receive_peer, own);
  if ((relative & relative_ranks) == 0) return;
  list.clear();
  for (const Rank way : action.ranks)
    list.push_back(absolute(way, own));
  action.ranks = list;
}

} // namespace timeless::trace
