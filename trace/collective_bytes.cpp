#include "trace/collective_bytes.h"

#include "trace/action_questions.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

namespace timeless::trace {

namespace {

/// The two groups as a member sees them: of an intracommunicator both are the same.
struct Groups {
  const std::vector<Rank>& own;
  const std::vector<Rank>& partners;
};

Groups groups_of(const Communicator& communicator, Rank rank) {
  const std::vector<Rank>& first = communicator.members;
  const std::vector<Rank>& second = communicator.remote_members;
  if (second.empty()) return {first, first};
  return std::ranges::find(first, rank) != first.end() ? Groups{first, second} : Groups{second, first};
}

Bytes sum(std::span<const Bytes> counts) {
  return std::accumulate(counts.begin(), counts.end(), Bytes{0});
}

} // namespace

CollectiveBytes collective_bytes(const Action& action, const Communicator& communicator, Rank rank) {
  if (action.peer == no_rank && rooted(action.kind)) return {};
  const Groups groups = groups_of(communicator, rank);
  const Bytes partners = groups.partners.size();
  const auto self = static_cast<std::size_t>(std::ranges::find(groups.own, rank) - groups.own.begin());
  const bool inter = !communicator.remote_members.empty();
  // Where nobody is the root, the group's root stands aside; the root of an intercommunicator has a number of its own.
  const bool is_root =
      inter ? action.peer == root_of_remote_group : self < groups.own.size() && action.peer == static_cast<Rank>(self);
  switch (action.kind) {
  case ActionKind::broadcast:
    return is_root ? CollectiveBytes{action.bytes, 0} : CollectiveBytes{0, action.bytes};
  case ActionKind::reduce:
    return {inter && is_root ? 0 : action.bytes, is_root ? action.bytes : 0};
  case ActionKind::allreduce:
  case ActionKind::scan:
  case ActionKind::exscan:
    return {action.bytes, action.bytes};
  case ActionKind::gather:
    return {action.bytes, is_root ? action.receive_bytes * partners : 0};
  case ActionKind::gatherv:
    return {action.bytes, is_root ? sum(action.receive_counts) : 0};
  case ActionKind::scatter:
    return {is_root ? action.bytes * partners : 0, action.receive_bytes};
  case ActionKind::scatterv:
    return {is_root ? sum(action.counts) : 0, action.receive_bytes};
  case ActionKind::allgather:
    return {action.bytes, action.receive_bytes * partners};
  case ActionKind::allgatherv:
    return {action.bytes, sum(action.receive_counts)};
  case ActionKind::alltoall:
    return {action.bytes * partners, action.receive_bytes * partners};
  case ActionKind::alltoallv:
  case ActionKind::alltoallw:
    return {sum(action.counts), sum(action.receive_counts)};
  case ActionKind::reduce_scatter:
    return {sum(action.counts), self < action.counts.size() ? action.counts[self] : 0};
  case ActionKind::reduce_scatter_block:
    return {action.bytes * groups.own.size(), action.bytes};
  default:
    return {};
  }
}

} // namespace timeless::trace
