#include "replay/smpi/rank_player.h"

#include "base/error.h"
#include "replay/smpi/elements.h"
#include "trace/model/collective_bytes.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace timeless::replay::smpi {

namespace {

using trace::Action;
using trace::ActionKind;

/// What SMPI would call for a user's reduction; it never does while replaying.
void no_operation(void*, void*, int*, MPI_Datatype*) {}

/// Counts and displacements of the parts of a vector collective, as MPI wants them: rounded up to whole elements.
struct Parts {
  Parts(std::span<const trace::Bytes> bytes, trace::Bytes element, std::size_t least) {
    trace::Bytes sum = 0;
    for (const trace::Bytes part : bytes) {
      counts.push_back(count_of(part, element));
      // Displacements only name addresses, which nobody reads while replaying.
      displacements.push_back(sum <= largest_count ? static_cast<int>(sum) : 0);
      sum += static_cast<trace::Bytes>(counts.back());
    }
    counts.resize(std::max(counts.size(), least), 0);
    displacements.resize(counts.size(), 0);
  }

  std::vector<int> counts;
  std::vector<int> displacements;
};

/// The nonblocking call where there is a request for it, else the blocking one.
template <typename Nonblocking, typename Blocking, typename... Arguments>
int either(Nonblocking nonblocking, Blocking blocking, MPI_Request* request, Arguments... arguments) {
  return request == nullptr ? blocking(arguments...) : nonblocking(arguments..., request);
}

trace::Bytes part(std::span<const trace::Bytes> parts, int rank) {
  const auto index = static_cast<std::size_t>(rank);
  return index < parts.size() ? parts[index] : 0;
}

} // namespace

/// Elements as large as the program's, so that SMPI's choice of algorithm, which looks at their count, is the same.
RankPlayer::Reduction RankPlayer::reduction_of(const Action& action) {
  trace::Bytes element = std::max<trace::Bytes>(action.element_bytes, 1);
  const auto whole = [&](trace::Bytes bytes) { return bytes % element == 0; };
  if (!whole(action.bytes) || !std::ranges::all_of(action.counts, whole)) element = 1;
  trace::Bytes all = std::max(action.bytes, action.receive_bytes);
  if (action.kind == ActionKind::reduce_scatter_block)
    all *= static_cast<trace::Bytes>(std::max(circle(action.communicator).size, 1));
  all = std::max(all, trace::sum(action.counts));
  if (all / element > largest_count) element = std::max(element, unit_for(all));

  Reduction made{.type = stage_.types.of(element), .op = element == 1 ? MPI_BAND : MPI_SUM, .element = element};
  const bool ordered = (action.flags & trace::flag_noncommutative) != 0;
  const bool predefined = element == 1 || element == 2 || element == 4 || element == 8 || element == 16;
  if (ordered || !predefined || (action.flags & trace::flag_user_operation) != 0) {
    MPI_Op& operation = ordered ? own_->ordered_operation : own_->user_operation;
    if (operation == MPI_OP_NULL) PMPI_Op_create(no_operation, ordered ? 0 : 1, &operation);
    made.op = operation;
  }
  // Where order matters, SMPI makes types of this one, and computes with its extent. What no predefined type is like,
  // is derived in the program, too, and SMPI may choose otherwise for it.
  if (all >= worth_sparing && !ordered && std::has_single_bit(element)) made.type = stage_.types.without_room(element);
  return made;
}

void RankPlayer::collective(const Action& action) {
  if (trace::neighbourhood(action.kind)) return neighborhood(action);
  const Circle& members = circle(action.communicator);
  if (members.inter()) return between_groups(action);
  collective_of_one_group(action, members.whole,
                          action.request == trace::no_request ? nullptr : &slot(action.request).request);
}

void RankPlayer::collective_of_one_group(const Action& action, MPI_Comm comm, MPI_Request* request) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  const auto members = static_cast<trace::Bytes>(size);
  char* out = stage_.send_area;
  char* in = stage_.receive_area;
  const int root = action.peer;
  const trace::Bytes times = action.kind == ActionKind::broadcast ? 1 : members;
  const auto [count, type] = elements(action.bytes, times);
  const auto [receive_count, receive_type] = elements(action.receive_bytes, times);
  switch (action.kind) {
  case ActionKind::barrier:
    if (request != nullptr) return start_barrier(action, comm, request);
    return check(PMPI_Barrier(comm), action);
  case ActionKind::broadcast:
    return check(either(PMPI_Ibcast, PMPI_Bcast, request, out, count, type, root, comm), action);
  case ActionKind::gather: {
    // The root's own part is as large as the others', even if it passed MPI_IN_PLACE.
    const auto [part, of] = elements_without_room(rank_in(comm) == root ? action.receive_bytes : action.bytes, members);
    return check(either(PMPI_Igather, PMPI_Gather, request, out, part, of, in, part, of, root, comm), action);
  }
  case ActionKind::scatter: {
    const auto [part, of] = elements_without_room(rank_in(comm) == root ? action.bytes : action.receive_bytes, members);
    return check(either(PMPI_Iscatter, PMPI_Scatter, request, out, part, of, in, part, of, root, comm), action);
  }
  case ActionKind::allgather:
    return check(either(PMPI_Iallgather, PMPI_Allgather, request, out, receive_count, receive_type, in, receive_count,
                        receive_type, comm),
                 action);
  case ActionKind::alltoall:
    return check(either(PMPI_Ialltoall, PMPI_Alltoall, request, out, receive_count, receive_type, in, receive_count,
                        receive_type, comm),
                 action);
  default:
    if (trace::traits(action.kind).reduces) return reduction(action, comm, request);
    return vector_collective(action, comm, request);
  }
}

/// In SMPI's own Ibarrier nobody waits for the others: the root answers before it has heard from them. Its Iallreduce
/// is a message from each to each.
void RankPlayer::start_barrier(const Action& action, MPI_Comm comm, MPI_Request* request) {
  check(PMPI_Iallreduce(stage_.send_area, stage_.receive_area, 0, MPI_BYTE, MPI_BAND, comm, request), action);
}

void RankPlayer::reduction(const Action& action, MPI_Comm comm, MPI_Request* request) {
  char* out = stage_.send_area;
  char* in = stage_.receive_area;
  const Reduction r = reduction_of(action);
  const int count = r.count(action.bytes);
  switch (action.kind) {
  case ActionKind::reduce:
    return check(either(PMPI_Ireduce, PMPI_Reduce, request, out, in, count, r.type, r.op, action.peer, comm), action);
  case ActionKind::allreduce:
    return check(either(PMPI_Iallreduce, PMPI_Allreduce, request, out, in, count, r.type, r.op, comm), action);
  case ActionKind::scan:
    return check(either(PMPI_Iscan, PMPI_Scan, request, out, in, count, r.type, r.op, comm), action);
  case ActionKind::exscan: // PMPI_Iexscan clears its result, for which there is no memory; the messages are the same
    return check(either(PMPI_Iscan, PMPI_Exscan, request, out, in, count, r.type, r.op, comm), action);
  default:
    break;
  }
  int size = 0;
  PMPI_Comm_size(comm, &size);
  const auto members = static_cast<std::size_t>(size);
  const bool block = action.kind == ActionKind::reduce_scatter_block;
  // SMPI's keeps a list of as many numbers as a part has elements, and what follows is the same.
  if (block && action.bytes < worth_sparing)
    return check(
        either(PMPI_Ireduce_scatter_block, PMPI_Reduce_scatter_block, request, out, in, count, r.type, r.op, comm),
        action);
  const std::vector<trace::Bytes> equal(block ? members : 0, action.bytes);
  const Parts parts(block ? equal : action.counts, r.element, members);
  check(either(PMPI_Ireduce_scatter, PMPI_Reduce_scatter, request, out, in, parts.counts.data(), r.type, r.op, comm),
        action);
}

void RankPlayer::vector_collective(const Action& action, MPI_Comm comm, MPI_Request* request) {
  char* out = stage_.send_area;
  char* in = stage_.receive_area;
  const int self = rank_in(comm);
  int size = 0;
  PMPI_Comm_size(comm, &size);
  const auto members = static_cast<std::size_t>(size);
  switch (action.kind) {
  case ActionKind::gatherv: {
    const trace::Bytes unit = unit_for(trace::sum(action.receive_counts));
    const Parts to(action.receive_counts, unit, members);
    const auto [own, type] = elements(self == action.peer ? part(action.receive_counts, self) : action.bytes);
    return check(either(PMPI_Igatherv, PMPI_Gatherv, request, out, own, type, in, to.counts.data(),
                        to.displacements.data(), stage_.types.of(unit), action.peer, comm),
                 action);
  }
  case ActionKind::scatterv: {
    const trace::Bytes unit = unit_for(trace::sum(action.counts));
    const Parts from(action.counts, unit, members);
    // Only the root knows how its parts are rounded up.
    const auto [own, type] = self == action.peer ? elements(part(action.counts, self))
                                                 : room_for(action.receive_bytes + stage_.scan->scattered_unit - 1);
    return check(either(PMPI_Iscatterv, PMPI_Scatterv, request, out, from.counts.data(), from.displacements.data(),
                        stage_.types.of(unit), in, own, type, action.peer, comm),
                 action);
  }
  case ActionKind::allgatherv: {
    const trace::Bytes unit = unit_for(trace::sum(action.receive_counts));
    const Parts all(action.receive_counts, unit, members);
    MPI_Datatype type = stage_.types.of(unit);
    return check(either(PMPI_Iallgatherv, PMPI_Allgatherv, request, out, all.counts[static_cast<std::size_t>(self)],
                        type, in, all.counts.data(), all.displacements.data(), type, comm),
                 action);
  }
  case ActionKind::alltoallv:
  case ActionKind::alltoallw: {
    if (stage_.scan->large_parts || action.kind == ActionKind::alltoallw)
      return all_to_all_of_any_size(action, comm, request);
    const Parts from(action.counts, 1, members);
    const Parts to(action.receive_counts, 1, members);
    return check(either(PMPI_Ialltoallv, PMPI_Alltoallv, request, out, from.counts.data(), from.displacements.data(),
                        MPI_BYTE, in, to.counts.data(), to.displacements.data(), MPI_BYTE, comm),
                 action);
  }
  default:
    fail({Failure::missing_capability, "SMPI cannot replay " + trace::mpi_name(action), position(),
          "use --backend model"});
  }
}

/// Parts of elements of their own sizes: what is above 2 GiB does not round up the others.
void RankPlayer::all_to_all_of_any_size(const Action& action, MPI_Comm comm, MPI_Request* request) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  struct Sizes {
    std::vector<int> counts;
    std::vector<MPI_Datatype> types;
  };
  const auto sizes = [&](std::span<const trace::Bytes> parts) {
    Sizes made;
    for (int rank = 0; rank < size; ++rank) {
      const auto [count, type] = elements(part(parts, rank));
      made.counts.push_back(count);
      made.types.push_back(type);
    }
    return made;
  };
  const Sizes from = sizes(action.counts);
  const Sizes to = sizes(action.receive_counts);
  const std::vector<int> nowhere(static_cast<std::size_t>(size), 0);
  check(either(PMPI_Ialltoallw, PMPI_Alltoallw, request, stage_.send_area, from.counts.data(), nowhere.data(),
               from.types.data(), stage_.receive_area, to.counts.data(), nowhere.data(), to.types.data(), comm),
        action);
}

/// The communicator exists already; what remains is that its makers meet and agree on an identity.
void RankPlayer::create_communicator(const Action& action) {
  if (!trace::traits(action.kind).creates) return;
  const auto on = trace::meeting_place(action);
  if (!on) return;
  MPI_Comm comm = communicator(*on);
  MPI_Request* request = action.request == trace::no_request ? nullptr : &slot(action.request).request;
  check(either(PMPI_Iallreduce, PMPI_Allreduce, request, stage_.send_area, stage_.receive_area, 2, MPI_INT, MPI_SUM,
               comm),
        action);
}

} // namespace timeless::replay::smpi
