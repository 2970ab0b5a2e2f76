#include "replay/smpi/rank_player.h"

#include "replay/smpi/elements.h"
#include "trace/model/collective_bytes.h"

#include <algorithm>

// What SMPI has no collectives for: neighbourhoods, and the two groups of an intercommunicator. Their messages go over
// a communicator of their own, so that no receive of the program's takes them.
namespace timeless::replay::smpi {

namespace {

using trace::Action;
using trace::ActionKind;

constexpr trace::Tag tag_aside = 1;

trace::Bytes at(std::span<const trace::Bytes> parts, std::size_t index) {
  return index < parts.size() ? parts[index] : 0;
}

bool with_counts(ActionKind kind) {
  return trace::traits(kind).sent == trace::Sizes::list;
}

} // namespace

void RankPlayer::send_aside(const Action& action, int to, trace::Bytes bytes, std::vector<MPI_Request>& parts) {
  if (to == MPI_PROC_NULL) return;
  const auto [count, type] = elements(bytes);
  const auto start = bytes > largest_count ? PMPI_Issend : PMPI_Isend;
  check(start(stage_.send_area, count, type, to, tag_aside, circle(action.communicator).aside, &parts.emplace_back()),
        action);
}

void RankPlayer::receive_aside(const Action& action, int from, trace::Bytes bytes, std::vector<MPI_Request>& parts) {
  if (from == MPI_PROC_NULL) return;
  const auto [count, type] = room_for(bytes);
  check(PMPI_Irecv(stage_.receive_area, count, type, from, tag_aside, circle(action.communicator).aside,
                   &parts.emplace_back()),
        action);
}

/// A message to each neighbour and one from each, all under way together, as MPI libraries do it.
void RankPlayer::neighborhood(const Action& action) {
  std::vector<MPI_Request> parts;
  const auto sources = static_cast<std::size_t>(std::max(action.tag - 1, 0));
  const std::span<const trace::Rank> ranks = action.ranks;
  const std::size_t first = std::min(sources, ranks.size());
  // A rank may be a neighbour twice, and its messages come in the order of its own list.
  const trace::Bytes largest =
      action.receive_counts.empty() ? action.receive_bytes : std::ranges::max(action.receive_counts);
  for (std::size_t i = 0; i < first; ++i)
    receive_aside(action, place(action, ranks[i]), largest, parts);
  for (std::size_t i = first; i < ranks.size(); ++i)
    send_aside(action, place(action, ranks[i]), with_counts(action.kind) ? at(action.counts, i - first) : action.bytes,
               parts);
  if (action.request == trace::no_request) return wait_for(parts, action);
  slot(action.request).parts = std::move(parts);
}

/// The first members of the groups send each other something, or one of them to the other.
void RankPlayer::exchange_of_leaders(const Action& action, trace::Bytes out, trace::Bytes in) {
  const Circle& groups = circle(action.communicator);
  if (rank_in(groups.group) != 0 || groups.remote.empty()) return;
  std::vector<MPI_Request> parts;
  receive_aside(action, groups.remote.front(), in, parts);
  send_aside(action, groups.remote.front(), out, parts);
  wait_for(parts, action);
}

/// Messages between the root and each member of the other group.
void RankPlayer::rooted_messages(const Action& action, std::vector<MPI_Request>& parts) {
  const Circle& groups = circle(action.communicator);
  const bool to_root = trace::traits(action.kind).root == trace::Root::receives;
  if (action.peer == trace::no_rank) return; // of the root's group, and not the root
  if (action.peer != trace::root_of_remote_group) {
    const int root = place(action, action.peer);
    const bool scatters = trace::traits(action.kind).received == trace::Sizes::one;
    if (to_root) return send_aside(action, root, action.bytes, parts);
    return receive_aside(action, root, scatters ? action.receive_bytes : action.bytes, parts);
  }
  for (std::size_t i = 0; i < groups.remote.size(); ++i) {
    trace::Bytes bytes = action.bytes;
    if (action.kind == ActionKind::gather) bytes = action.receive_bytes;
    if (action.kind == ActionKind::gatherv) bytes = at(action.receive_counts, i);
    if (action.kind == ActionKind::scatterv) bytes = at(action.counts, i);
    if (to_root)
      receive_aside(action, groups.remote[i], bytes, parts);
    else
      send_aside(action, groups.remote[i], bytes, parts);
  }
}

void RankPlayer::each_with_each(const Action& action, std::vector<MPI_Request>& parts) {
  const Circle& groups = circle(action.communicator);
  for (std::size_t i = 0; i < groups.remote.size(); ++i)
    receive_aside(action, groups.remote[i],
                  action.receive_counts.empty() ? action.receive_bytes : at(action.receive_counts, i), parts);
  for (std::size_t i = 0; i < groups.remote.size(); ++i)
    send_aside(action, groups.remote[i], action.counts.empty() ? action.bytes : at(action.counts, i), parts);
}

/// As MPICH puts them together: a collective in each group, and messages between the groups' first members.
void RankPlayer::between_groups(const Action& action) {
  if (action.request != trace::no_request) return between_groups_nonblocking(action);
  const Circle& groups = circle(action.communicator);
  MPI_Comm group = groups.group;
  int members = 0;
  PMPI_Comm_size(group, &members);
  const bool takes_part = action.peer != trace::no_rank;
  const bool root = action.peer == trace::root_of_remote_group;
  std::vector<MPI_Request> parts;
  Action inside = action; // within the group, at its first member
  inside.peer = 0;
  const auto in_group = [&](ActionKind kind, trace::Bytes bytes, trace::Bytes receive_bytes) {
    inside.kind = kind;
    inside.bytes = bytes;
    inside.receive_bytes = receive_bytes;
    collective_of_one_group(inside, group, nullptr);
  };
  switch (action.kind) {
  case ActionKind::barrier:
    in_group(ActionKind::barrier, 0, 0);
    exchange_of_leaders(action, 0, 0);
    return in_group(ActionKind::broadcast, 0, 0);
  case ActionKind::broadcast:
    if (!takes_part) return;
    if (root) {
      send_aside(action, groups.remote.front(), action.bytes, parts);
    } else if (rank_in(group) == 0) {
      receive_aside(action, place(action, action.peer), action.bytes, parts);
    }
    wait_for(parts, action);
    if (!root) in_group(ActionKind::broadcast, action.bytes, 0);
    return;
  case ActionKind::reduce:
    if (!takes_part) return;
    if (root) {
      receive_aside(action, groups.remote.front(), action.bytes, parts);
    } else {
      in_group(ActionKind::reduce, action.bytes, 0);
      if (rank_in(group) == 0) send_aside(action, place(action, action.peer), action.bytes, parts);
    }
    return wait_for(parts, action);
  case ActionKind::allreduce:
    in_group(ActionKind::reduce, action.bytes, 0);
    exchange_of_leaders(action, action.bytes, action.bytes);
    return in_group(ActionKind::broadcast, action.bytes, 0);
  case ActionKind::reduce_scatter:
  case ActionKind::reduce_scatter_block: {
    const bool vector = action.kind == ActionKind::reduce_scatter;
    const trace::Bytes all = vector ? trace::sum(action.counts) : action.bytes * static_cast<trace::Bytes>(members);
    inside.counts = {};
    in_group(ActionKind::reduce, all, 0);
    exchange_of_leaders(action, all, all);
    const trace::Bytes own = vector ? at(action.counts, static_cast<std::size_t>(rank_in(group))) : action.bytes;
    inside.counts = action.counts;
    return in_group(vector ? ActionKind::scatterv : ActionKind::scatter, own, own);
  }
  case ActionKind::allgather: {
    const trace::Bytes out = action.bytes * static_cast<trace::Bytes>(members);
    const trace::Bytes in = action.receive_bytes * groups.remote.size();
    in_group(ActionKind::gather, action.bytes, action.bytes);
    exchange_of_leaders(action, out, in);
    return in_group(ActionKind::broadcast, in, 0);
  }
  case ActionKind::gather:
  case ActionKind::gatherv:
  case ActionKind::scatter:
  case ActionKind::scatterv:
    rooted_messages(action, parts);
    return wait_for(parts, action);
  default: // Allgatherv, Alltoall and their kin
    each_with_each(action, parts);
    return wait_for(parts, action);
  }
}

void RankPlayer::between_groups_nonblocking(const Action& action) {
  Pending& pending = slot(action.request);
  if (trace::rooted(action.kind)) return rooted_messages(action, pending.parts);
  switch (action.kind) {
  case ActionKind::barrier:
    return start_barrier(action, circle(action.communicator).aside, &pending.request);
  case ActionKind::allreduce:
  case ActionKind::reduce_scatter:
  case ActionKind::reduce_scatter_block: {
    Action both = action;
    both.kind = ActionKind::allreduce;
    if (action.kind == ActionKind::reduce_scatter) both.bytes = trace::sum(action.counts);
    if (action.kind == ActionKind::reduce_scatter_block) {
      int members = 0;
      PMPI_Comm_size(circle(action.communicator).group, &members);
      both.bytes = action.bytes * static_cast<trace::Bytes>(members);
    }
    both.counts = {};
    return collective_of_one_group(both, circle(action.communicator).aside, &pending.request);
  }
  default:
    return each_with_each(action, pending.parts);
  }
}

} // namespace timeless::replay::smpi
