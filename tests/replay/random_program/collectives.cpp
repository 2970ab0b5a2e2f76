#include "tests/replay/random_program/writer.h"

#include <algorithm>
#include <array>

namespace timeless::replay::test::programs {

namespace {

constexpr std::array collective_kinds{ActionKind::barrier,
                                      ActionKind::broadcast,
                                      ActionKind::reduce,
                                      ActionKind::allreduce,
                                      ActionKind::gather,
                                      ActionKind::gatherv,
                                      ActionKind::scatter,
                                      ActionKind::scatterv,
                                      ActionKind::allgather,
                                      ActionKind::allgatherv,
                                      ActionKind::alltoall,
                                      ActionKind::alltoallv,
                                      ActionKind::alltoallw,
                                      ActionKind::scan,
                                      ActionKind::reduce_scatter,
                                      ActionKind::reduce_scatter_block,
                                      ActionKind::exscan,
                                      ActionKind::comm_dup,
                                      ActionKind::comm_split,
                                      ActionKind::neighbor_alltoall,
                                      ActionKind::neighbor_allgather,
                                      ActionKind::neighbor_alltoallv,
                                      ActionKind::comm_create_group};

} // namespace

std::size_t ProgramWriter::all_called(CommunicatorId id) {
  std::size_t least = communicators_[id].collectives.size();
  for (const Rank member : everyone(id))
    least = std::min(least, communicators_[id].called[member]);
  return least;
}

/// Has the rank call the next collective of the communicator that it has not called yet.
void ProgramWriter::call(CommunicatorId id, Rank rank) {
  CommunicatorState& communicator = communicators_[id];
  const std::size_t ordinal = communicator.called[rank]++;
  const auto all = everyone(id);
  const auto here = static_cast<std::size_t>(std::ranges::find(all, rank) - all.begin());
  const MemberPart part(communicator.collectives[ordinal], all.size(), members(id).size(), here);
  Action action = part.action();
  if (action.request != trace::no_request) {
    Pending pending{Pending::Of::collective};
    pending.communicator = id;
    pending.ticket = ordinal;
    action.request = new_request(rank, pending);
  }
  add(rank, action);
}

void ProgramWriter::catch_up(CommunicatorId id) {
  std::vector<Rank> order = everyone(id);
  std::ranges::shuffle(order, random_);
  for (const Rank member : order)
    while (communicators_[id].called[member] < communicators_[id].collectives.size())
      call(id, member);
}

void ProgramWriter::call_one() {
  const Rank rank = any_rank();
  CommunicatorId id = communicator_of(rank);
  if (between_groups_ && chance(30)) id = *between_groups_;
  if (std::ranges::count(everyone(id), rank) == 0) return;
  if (communicators_[id].called[rank] < communicators_[id].collectives.size()) call(id, rank);
}

void ProgramWriter::collective() {
  const CommunicatorId id = between_groups_ && chance(20) ? *between_groups_ : any_communicator();
  RandomCollective collective{any_collective(id), random_(), chance(70)};
  const bool nonblocking = chance(50);
  // Blocking ones are called by all at once, after whatever nonblocking ones are still to be called.
  if (!nonblocking) catch_up(id);
  collective.action.request = nonblocking ? 0 : trace::no_request;
  communicators_[id].collectives.push_back(collective);
  if (!nonblocking) catch_up(id);
}

/// Returns a kind that there is between groups, where the communicator has two.
ActionKind ProgramWriter::any_collective_kind(CommunicatorId id) {
  for (;;) {
    const ActionKind kind =
        collective_kinds[static_cast<std::size_t>(between(0, static_cast<int>(collective_kinds.size()) - 1))];
    if (!between_groups(id) || (kind != ActionKind::scan && kind != ActionKind::exscan && !traits(kind).neighborhood))
      return kind;
  }
}

Action ProgramWriter::any_collective(CommunicatorId id) {
  Action action{.kind = any_collective_kind(id), .communicator = id};
  constexpr std::array<Bytes, 6> multiples{0, 1, 2, 7, 50, 400};
  action.bytes = collective_unit * multiples[static_cast<std::size_t>(between(0, 5))];
  action.element_bytes = static_cast<std::uint32_t>(between(0, 1) * 8);
  if (chance(20)) action.flags |= trace::flag_user_operation;
  if (chance(20)) action.flags |= trace::flag_noncommutative;
  action.peer = between(0, static_cast<int>(everyone(id).size()) - 1); // the root's place
  if (trace::family(action.kind) == trace::ActionFamily::communicator)
    action.new_communicator = action.kind == ActionKind::comm_create_group ? id : created_;
  return action;
}

} // namespace timeless::replay::test::programs
