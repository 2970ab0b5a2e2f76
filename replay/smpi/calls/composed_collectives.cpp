#include "replay/smpi/calls/composed_collectives.h"

#include "replay/smpi/calls/elements.h"
#include "trace/model/collective_bytes.h"

#include <algorithm>

namespace timeless::replay::smpi {

namespace {

using trace::Action;
using trace::ActionKind;

constexpr trace::Tag tag_aside = 1;

bool with_counts(ActionKind kind) {
  return trace::traits(kind).sent == trace::Sizes::list;
}

} // namespace

void ComposedCollectives::send_aside(const Call& call, int to, trace::Bytes bytes, std::vector<MPI_Request>& parts) {
  if (to == MPI_PROC_NULL) return;
  const auto [count, type] = context_.types.elements(bytes);
  const auto start = bytes > largest_count ? PMPI_Issend : PMPI_Isend;
  call.check(
      start(context_.send_area, count, type, to, tag_aside, communicators_.of(call).aside, &parts.emplace_back()));
}

void ComposedCollectives::receive_aside(const Call& call, int from, trace::Bytes bytes,
                                        std::vector<MPI_Request>& parts) {
  if (from == MPI_PROC_NULL) return;
  const auto [count, type] = context_.types.room_for(bytes);
  call.check(PMPI_Irecv(context_.receive_area, count, type, from, tag_aside, communicators_.of(call).aside,
                        &parts.emplace_back()));
}

void ComposedCollectives::neighborhood(const Call& call, Pending* pending) {
  const Action& action = call.action;
  std::vector<MPI_Request> parts;
  const auto sources = static_cast<std::size_t>(std::max(action.tag - 1, 0));
  const std::span<const trace::Rank> ranks = action.ranks;
  const std::size_t first = std::min(sources, ranks.size());
  // A rank may be a neighbour twice, and its messages come in the order of its own list.
  const trace::Bytes largest =
      action.receive_counts.empty() ? action.receive_bytes : std::ranges::max(action.receive_counts);
  for (std::size_t i = 0; i < first; ++i)
    receive_aside(call, communicators_.rank(call, ranks[i]), largest, parts);
  for (std::size_t i = first; i < ranks.size(); ++i)
    send_aside(call, communicators_.rank(call, ranks[i]),
               with_counts(action.kind) ? part_at(action.counts, i - first) : action.bytes, parts);
  if (pending == nullptr) return call.wait(parts);
  pending->parts = std::move(parts);
}

/// Sends something between the first members of the groups, both ways or one.
void ComposedCollectives::exchange_of_leaders(const Call& call, trace::Bytes out, trace::Bytes in) {
  const SmpiCommunicator& groups = communicators_.of(call);
  if (rank_in(groups.group) != 0 || groups.remote.empty()) return;
  std::vector<MPI_Request> parts;
  receive_aside(call, groups.remote.front(), in, parts);
  send_aside(call, groups.remote.front(), out, parts);
  call.wait(parts);
}

/// Messages between the root and each member of the other group.
void ComposedCollectives::rooted_messages(const Call& call, std::vector<MPI_Request>& parts) {
  const Action& action = call.action;
  const SmpiCommunicator& groups = communicators_.of(call);
  const bool to_root = trace::traits(action.kind).root == trace::Root::receives;
  if (action.peer == trace::no_rank) return; // of the root's group, and not the root
  if (action.peer != trace::root_of_remote_group) {
    const int root = communicators_.rank(call, action.peer);
    const bool scatters = trace::traits(action.kind).received == trace::Sizes::one;
    if (to_root) return send_aside(call, root, action.bytes, parts);
    return receive_aside(call, root, scatters ? action.receive_bytes : action.bytes, parts);
  }
  for (std::size_t i = 0; i < groups.remote.size(); ++i) {
    trace::Bytes bytes = action.bytes;
    if (action.kind == ActionKind::gather) bytes = action.receive_bytes;
    if (action.kind == ActionKind::gatherv) bytes = part_at(action.receive_counts, i);
    if (action.kind == ActionKind::scatterv) bytes = part_at(action.counts, i);
    if (to_root)
      receive_aside(call, groups.remote[i], bytes, parts);
    else
      send_aside(call, groups.remote[i], bytes, parts);
  }
}

void ComposedCollectives::each_with_each(const Call& call, std::vector<MPI_Request>& parts) {
  const Action& action = call.action;
  const SmpiCommunicator& groups = communicators_.of(call);
  for (std::size_t i = 0; i < groups.remote.size(); ++i)
    receive_aside(call, groups.remote[i],
                  action.receive_counts.empty() ? action.receive_bytes : part_at(action.receive_counts, i), parts);
  for (std::size_t i = 0; i < groups.remote.size(); ++i)
    send_aside(call, groups.remote[i], action.counts.empty() ? action.bytes : part_at(action.counts, i), parts);
}

/// Performs a collective in the call's own group, at its first member where it has a root.
void ComposedCollectives::in_group(const Call& call, ActionKind kind, trace::Bytes bytes, trace::Bytes receive_bytes,
                                   std::span<const trace::Bytes> counts) {
  Action inside = call.action;
  inside.kind = kind;
  inside.peer = 0;
  inside.bytes = bytes;
  inside.receive_bytes = receive_bytes;
  inside.counts = counts;
  collectives_.play(call.with(inside), communicators_.of(call).group, nullptr);
}

/// A broadcast or a reduction: between the root and the first member of the other group, and in that group.
void ComposedCollectives::root_and_group(const Call& call) {
  const Action& action = call.action;
  if (action.peer == trace::no_rank) return; // of the root's group, and not the root
  const SmpiCommunicator& groups = communicators_.of(call);
  const bool to_root = action.kind == ActionKind::reduce;
  std::vector<MPI_Request> parts;
  if (action.peer == trace::root_of_remote_group) {
    if (to_root)
      receive_aside(call, groups.remote.front(), action.bytes, parts);
    else
      send_aside(call, groups.remote.front(), action.bytes, parts);
    return call.wait(parts);
  }
  const bool leads = rank_in(groups.group) == 0;
  if (to_root) in_group(call, ActionKind::reduce, action.bytes, 0);
  if (leads && to_root) send_aside(call, communicators_.rank(call, action.peer), action.bytes, parts);
  if (leads && !to_root) receive_aside(call, communicators_.rank(call, action.peer), action.bytes, parts);
  call.wait(parts);
  if (!to_root) in_group(call, ActionKind::broadcast, action.bytes, 0);
}

void ComposedCollectives::reduce_scatter(const Call& call) {
  const Action& action = call.action;
  MPI_Comm group = communicators_.of(call).group;
  const bool vector = action.kind == ActionKind::reduce_scatter;
  const trace::Bytes all =
      vector ? trace::sum(action.counts) : action.bytes * static_cast<trace::Bytes>(size_of(group));
  in_group(call, ActionKind::reduce, all, 0);
  exchange_of_leaders(call, all, all);
  const trace::Bytes own = vector ? part_at(action.counts, static_cast<std::size_t>(rank_in(group))) : action.bytes;
  in_group(call, vector ? ActionKind::scatterv : ActionKind::scatter, own, own, action.counts);
}

void ComposedCollectives::between_groups(const Call& call, Pending* pending) {
  if (pending != nullptr) return start_between_groups(call, *pending);
  const Action& action = call.action;
  const SmpiCommunicator& groups = communicators_.of(call);
  std::vector<MPI_Request> parts;
  switch (action.kind) {
  case ActionKind::barrier:
    in_group(call, ActionKind::barrier, 0, 0);
    exchange_of_leaders(call, 0, 0);
    return in_group(call, ActionKind::broadcast, 0, 0);
  case ActionKind::broadcast:
  case ActionKind::reduce:
    return root_and_group(call);
  case ActionKind::allreduce:
    in_group(call, ActionKind::reduce, action.bytes, 0);
    exchange_of_leaders(call, action.bytes, action.bytes);
    return in_group(call, ActionKind::broadcast, action.bytes, 0);
  case ActionKind::reduce_scatter:
  case ActionKind::reduce_scatter_block:
    return reduce_scatter(call);
  case ActionKind::allgather: {
    const trace::Bytes in = action.receive_bytes * groups.remote.size();
    in_group(call, ActionKind::gather, action.bytes, action.bytes);
    exchange_of_leaders(call, action.bytes * static_cast<trace::Bytes>(size_of(groups.group)), in);
    return in_group(call, ActionKind::broadcast, in, 0);
  }
  case ActionKind::gather:
  case ActionKind::gatherv:
  case ActionKind::scatter:
  case ActionKind::scatterv:
    rooted_messages(call, parts);
    return call.wait(parts);
  default: // Allgatherv, Alltoall and their kin
    each_with_each(call, parts);
    return call.wait(parts);
  }
}

void ComposedCollectives::start_between_groups(const Call& call, Pending& pending) {
  const Action& action = call.action;
  if (trace::rooted(action.kind)) return rooted_messages(call, pending.parts);
  switch (action.kind) {
  case ActionKind::barrier:
    return collectives_.start_barrier(call, communicators_.of(call).aside, &pending.request);
  case ActionKind::allreduce:
  case ActionKind::reduce_scatter:
  case ActionKind::reduce_scatter_block: {
    Action both = action;
    both.kind = ActionKind::allreduce;
    if (action.kind == ActionKind::reduce_scatter) both.bytes = trace::sum(action.counts);
    if (action.kind == ActionKind::reduce_scatter_block)
      both.bytes = action.bytes * static_cast<trace::Bytes>(size_of(communicators_.of(call).group));
    both.counts = {};
    return collectives_.play(call.with(both), communicators_.of(call).aside, &pending.request);
  }
  default:
    return each_with_each(call, pending.parts);
  }
}

} // namespace timeless::replay::smpi
