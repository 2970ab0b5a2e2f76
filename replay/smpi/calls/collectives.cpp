#include "replay/smpi/calls/collectives.h"

#include "replay/smpi/calls/elements.h"
#include "trace/model/collective_bytes.h"

#include <algorithm>

namespace timeless::replay::smpi {

namespace {

using trace::Action;
using trace::ActionKind;

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

/// Returns the nonblocking call where there is a request for it, else the blocking one.
template <typename Nonblocking, typename Blocking, typename... Arguments>
int either(Nonblocking nonblocking, Blocking blocking, MPI_Request* request, Arguments... arguments) {
  return request == nullptr ? blocking(arguments...) : nonblocking(arguments..., request);
}

} // namespace

void Collectives::play(const Call& call, MPI_Comm comm, MPI_Request* request) {
  const Action& action = call.action;
  const auto members = static_cast<trace::Bytes>(size_of(comm));
  char* out = context_.send_area;
  char* in = context_.receive_area;
  const int root = action.peer;
  const trace::Bytes times = action.kind == ActionKind::broadcast ? 1 : members;
  const auto [count, type] = context_.types.elements(action.bytes, times);
  const auto [receive_count, receive_type] = context_.types.elements(action.receive_bytes, times);
  // The root's own part is as large as the others', even if it passed MPI_IN_PLACE.
  const auto part_of_all = [&](trace::Bytes at_root, trace::Bytes elsewhere) {
    return context_.types.elements_without_room(rank_in(comm) == root ? at_root : elsewhere, members);
  };
  switch (action.kind) {
  case ActionKind::barrier:
    if (request != nullptr) return start_barrier(call, comm, request);
    return call.check(PMPI_Barrier(comm));
  case ActionKind::broadcast:
    return call.check(either(PMPI_Ibcast, PMPI_Bcast, request, out, count, type, root, comm));
  case ActionKind::gather: {
    const auto [part, of] = part_of_all(action.receive_bytes, action.bytes);
    return call.check(either(PMPI_Igather, PMPI_Gather, request, out, part, of, in, part, of, root, comm));
  }
  case ActionKind::scatter: {
    const auto [part, of] = part_of_all(action.bytes, action.receive_bytes);
    return call.check(either(PMPI_Iscatter, PMPI_Scatter, request, out, part, of, in, part, of, root, comm));
  }
  case ActionKind::allgather:
    return call.check(either(PMPI_Iallgather, PMPI_Allgather, request, out, receive_count, receive_type, in,
                             receive_count, receive_type, comm));
  case ActionKind::alltoall:
    return call.check(either(PMPI_Ialltoall, PMPI_Alltoall, request, out, receive_count, receive_type, in,
                             receive_count, receive_type, comm));
  default:
    return trace::traits(action.kind).reduces ? reduce(call, comm, request) : move_parts(call, comm, request);
  }
}

/// In SMPI's own Ibarrier nobody waits for the others: the root answers before it has heard from them. Its Iallreduce
/// is a message from each to each.
void Collectives::start_barrier(const Call& call, MPI_Comm comm, MPI_Request* request) {
  call.check(PMPI_Iallreduce(context_.send_area, context_.receive_area, 0, MPI_BYTE, MPI_BAND, comm, request));
}

void Collectives::reduce(const Call& call, MPI_Comm comm, MPI_Request* request) {
  char* out = context_.send_area;
  char* in = context_.receive_area;
  const Reduction r = reductions_.of(call);
  const int count = r.count(call.action.bytes);
  switch (call.action.kind) {
  case ActionKind::reduce:
    return call.check(either(PMPI_Ireduce, PMPI_Reduce, request, out, in, count, r.type, r.op, call.action.peer, comm));
  case ActionKind::allreduce:
    return call.check(either(PMPI_Iallreduce, PMPI_Allreduce, request, out, in, count, r.type, r.op, comm));
  case ActionKind::scan:
    return call.check(either(PMPI_Iscan, PMPI_Scan, request, out, in, count, r.type, r.op, comm));
  case ActionKind::exscan: // PMPI_Iexscan clears its result, for which there is no memory; the messages are the same
    return call.check(either(PMPI_Iscan, PMPI_Exscan, request, out, in, count, r.type, r.op, comm));
  default:
    return reduce_scatter(call, comm, request, r);
  }
}

void Collectives::reduce_scatter(const Call& call, MPI_Comm comm, MPI_Request* request, const Reduction& r) {
  char* out = context_.send_area;
  char* in = context_.receive_area;
  const trace::Bytes bytes = call.action.bytes;
  const bool block = call.action.kind == ActionKind::reduce_scatter_block;
  // SMPI's keeps a list of as many numbers as a part has elements, and what follows is the same.
  if (block && bytes < worth_sparing)
    return call.check(either(PMPI_Ireduce_scatter_block, PMPI_Reduce_scatter_block, request, out, in, r.count(bytes),
                             r.type, r.op, comm));
  const auto members = static_cast<std::size_t>(size_of(comm));
  const std::vector<trace::Bytes> equal(block ? members : 0, bytes);
  const Parts parts(block ? equal : call.action.counts, r.element, members);
  call.check(
      either(PMPI_Ireduce_scatter, PMPI_Reduce_scatter, request, out, in, parts.counts.data(), r.type, r.op, comm));
}

void Collectives::move_parts(const Call& call, MPI_Comm comm, MPI_Request* request) {
  const Action& action = call.action;
  char* out = context_.send_area;
  char* in = context_.receive_area;
  const auto self = static_cast<std::size_t>(rank_in(comm));
  const bool root = rank_in(comm) == action.peer;
  const auto members = static_cast<std::size_t>(size_of(comm));
  switch (action.kind) {
  case ActionKind::gatherv: {
    const trace::Bytes unit = unit_for(trace::sum(action.receive_counts));
    const Parts to(action.receive_counts, unit, members);
    const auto [own, type] = context_.types.elements(root ? part_at(action.receive_counts, self) : action.bytes);
    return call.check(either(PMPI_Igatherv, PMPI_Gatherv, request, out, own, type, in, to.counts.data(),
                             to.displacements.data(), context_.types.of(unit), action.peer, comm));
  }
  case ActionKind::scatterv: {
    const trace::Bytes unit = unit_for(trace::sum(action.counts));
    const Parts from(action.counts, unit, members);
    // Only the root knows how its parts are rounded up.
    const auto [own, type] = root ? context_.types.elements(part_at(action.counts, self))
                                  : context_.types.room_for(action.receive_bytes + context_.scan->scattered_unit - 1);
    return call.check(either(PMPI_Iscatterv, PMPI_Scatterv, request, out, from.counts.data(), from.displacements.data(),
                             context_.types.of(unit), in, own, type, action.peer, comm));
  }
  case ActionKind::allgatherv: {
    const trace::Bytes unit = unit_for(trace::sum(action.receive_counts));
    const Parts all(action.receive_counts, unit, members);
    MPI_Datatype type = context_.types.of(unit);
    return call.check(either(PMPI_Iallgatherv, PMPI_Allgatherv, request, out, all.counts[self], type, in,
                             all.counts.data(), all.displacements.data(), type, comm));
  }
  case ActionKind::alltoallv:
  case ActionKind::alltoallw: {
    if (context_.scan->large_parts || action.kind == ActionKind::alltoallw)
      return all_to_all_of_any_size(call, comm, request);
    const Parts from(action.counts, 1, members);
    const Parts to(action.receive_counts, 1, members);
    return call.check(either(PMPI_Ialltoallv, PMPI_Alltoallv, request, out, from.counts.data(),
                             from.displacements.data(), MPI_BYTE, in, to.counts.data(), to.displacements.data(),
                             MPI_BYTE, comm));
  }
  default:
    call.caller.fail({Failure::missing_capability, "SMPI cannot replay " + trace::mpi_name(action),
                      call.caller.position(), "use --backend model"});
  }
}

/// Parts of elements of their own sizes: what is above 2 GiB does not round up the others.
void Collectives::all_to_all_of_any_size(const Call& call, MPI_Comm comm, MPI_Request* request) {
  const auto members = static_cast<std::size_t>(size_of(comm));
  struct Sizes {
    std::vector<int> counts;
    std::vector<MPI_Datatype> types;
  };
  const auto sizes = [&](std::span<const trace::Bytes> parts) {
    Sizes made;
    for (std::size_t rank = 0; rank < members; ++rank) {
      const auto [count, type] = context_.types.elements(part_at(parts, rank));
      made.counts.push_back(count);
      made.types.push_back(type);
    }
    return made;
  };
  const Sizes from = sizes(call.action.counts);
  const Sizes to = sizes(call.action.receive_counts);
  const std::vector<int> nowhere(members, 0);
  call.check(either(PMPI_Ialltoallw, PMPI_Alltoallw, request, context_.send_area, from.counts.data(), nowhere.data(),
                    from.types.data(), context_.receive_area, to.counts.data(), nowhere.data(), to.types.data(), comm));
}

void Collectives::create_communicator(const Call& call, trace::CommunicatorId on, MPI_Request* request) {
  call.check(either(PMPI_Iallreduce, PMPI_Allreduce, request, context_.send_area, context_.receive_area, 2, MPI_INT,
                    MPI_SUM, communicators_.of(call, on).whole));
}

} // namespace timeless::replay::smpi
