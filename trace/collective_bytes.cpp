#include "trace/collective_bytes.h"

#include "trace/action_questions.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

namespace timeless::trace {

Bytes sum(std::span<const Bytes> parts) {
  return std::accumulate(parts.begin(), parts.end(), Bytes{0});
}

namespace {

/// Where a rank stands in a group, or the group's size where it is none of it. Mostly that is its own number.
std::size_t place_in(const std::vector<Rank>& group, Rank rank) {
  const auto same = static_cast<std::size_t>(rank);
  if (rank >= 0 && same < group.size() && group[same] == rank) return same;
  return static_cast<std::size_t>(std::ranges::find(group, rank) - group.begin());
}

/// The two groups as a member sees them: of an intracommunicator both are the same.
struct Groups {
  const std::vector<Rank>& own;
  const std::vector<Rank>& partners;
};

Groups groups_of(const Communicator& communicator, Rank rank) {
  const std::vector<Rank>& first = communicator.members;
  const std::vector<Rank>& second = communicator.remote_members;
  if (second.empty()) return {first, first};
  return place_in(first, rank) < first.size() ? Groups{first, second} : Groups{second, first};
}

/// What goes to, or comes from, these neighbours.
Bytes parts(std::span<const Rank> neighbours, bool known, std::span<const Bytes> counts, Bytes each) {
  if (!known) return counts.empty() ? each : sum(counts);
  Bytes bytes = 0;
  for (std::size_t i = 0; i < neighbours.size(); ++i)
    if (neighbours[i] != no_rank) bytes += counts.empty() ? each : i < counts.size() ? counts[i] : 0;
  return bytes;
}

/// In place what goes out is as much as what comes in, and may be listed as that alone.
std::span<const Bytes> counts_given(const Action& action) {
  return action.counts.empty() && (action.flags & flag_in_place) != 0 ? action.receive_counts : action.counts;
}

Bytes own_count(std::span<const Bytes> counts, const std::vector<Rank>& group, Rank rank) {
  const std::size_t self = place_in(group, rank);
  return self < counts.size() ? counts[self] : 0;
}

CollectiveBytes neighbourhood_bytes(const Action& action) {
  const bool known = action.tag > 0;
  const std::size_t sources =
      known ? std::min(static_cast<std::size_t>(action.tag) - 1, action.ranks.size()) : std::size_t{0};
  const bool same_to_all =
      action.kind == ActionKind::neighbor_allgather || action.kind == ActionKind::neighbor_allgatherv;
  return {same_to_all ? action.bytes : parts(action.ranks.subspan(sources), known, action.counts, action.bytes),
          parts(action.ranks.first(sources), known, action.receive_counts, action.receive_bytes)};
}

} // namespace

bool is_root(const Action& action, const Communicator& communicator, Rank rank) {
  if (!rooted(action.kind)) return false;
  // The root of an intercommunicator has a number of its own; the rest of its group stands aside.
  if (!communicator.remote_members.empty()) return action.peer == root_of_remote_group;
  const std::size_t self = place_in(communicator.members, rank);
  return self < communicator.members.size() && action.peer == static_cast<Rank>(self);
}

CollectiveBytes collective_bytes(const Action& action, const Communicator& communicator, Rank rank) {
  if (neighbourhood(action.kind)) return neighbourhood_bytes(action);
  if (action.peer == no_rank && rooted(action.kind)) return {};
  const Groups groups = groups_of(communicator, rank);
  const Bytes partners = groups.partners.size();
  const bool inter = !communicator.remote_members.empty();
  const bool root = is_root(action, communicator, rank);
  switch (action.kind) {
  case ActionKind::broadcast:
    return root ? CollectiveBytes{action.bytes, 0} : CollectiveBytes{0, action.bytes};
  case ActionKind::reduce:
    return {inter && root ? 0 : action.bytes, root ? action.bytes : 0};
  case ActionKind::allreduce:
  case ActionKind::scan:
  case ActionKind::exscan:
    return {action.bytes, action.bytes};
  case ActionKind::gather:
    return {action.bytes, root ? action.receive_bytes * partners : 0};
  case ActionKind::gatherv:
    return {action.bytes, root ? sum(action.receive_counts) : 0};
  case ActionKind::scatter:
    return {root ? action.bytes * partners : 0, action.receive_bytes};
  case ActionKind::scatterv:
    return {root ? sum(action.counts) : 0, action.receive_bytes};
  case ActionKind::allgather:
    return {action.bytes, action.receive_bytes * partners};
  case ActionKind::allgatherv:
    return {action.bytes, sum(action.receive_counts)};
  case ActionKind::alltoall:
    return {action.bytes * partners, action.receive_bytes * partners};
  case ActionKind::alltoallv:
  case ActionKind::alltoallw:
    return {sum(counts_given(action)), sum(action.receive_counts)};
  case ActionKind::reduce_scatter:
    return {sum(action.counts), own_count(action.counts, groups.own, rank)};
  case ActionKind::reduce_scatter_block:
    return {action.bytes * groups.own.size(), action.bytes};
  default:
    return {};
  }
}

} // namespace timeless::trace
