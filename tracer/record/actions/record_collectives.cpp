#include "tracer/record/actions/record.h"

#include "tracer/mpi/mpi_library.h"
#include "tracer/record/call_scope.h"

#include <algorithm>
#include <span>
#include <vector>

namespace timeless::tracer::record {

namespace {

using trace::Bytes;

struct Rooted {
  trace::Rank peer; ///< what the action says
  bool here;        ///< this rank is the root
};

/// Returns the root of a collective. In an intercommunicator the root's own group passes MPI_ROOT or MPI_PROC_NULL.
Rooted rooted(const KnownCommunicator& communicator, int root) {
  if (root == mpi().root) return {trace::root_of_remote_group, true};
  if (root == mpi().proc_null) return {trace::no_rank, false};
  return {root, !communicator.inter() && root == communicator.rank};
}

std::uint16_t in_place(const void* buffer) {
  return buffer == mpi().in_place ? trace::flag_in_place : 0;
}

void add_flags(trace::Action& action, std::uint16_t flags) {
  action.flags = static_cast<std::uint16_t>(action.flags | flags);
}

/// Returns the volumes of a v-collective. The span holds until the same list is filled again.
std::span<const Bytes> volumes(std::vector<Bytes>& list, Counts counts, MPI_Datatype datatype, int size) {
  list.resize(static_cast<std::size_t>(size));
  const Bytes element = bytes_of(1, datatype);
  for (std::size_t peer = 0; peer < list.size(); ++peer)
    list[peer] = element * static_cast<Bytes>(std::max(counts[peer], MPI_Count{0}));
  return list;
}

std::span<const Bytes> volumes(std::vector<Bytes>& list, Counts counts, ProgramHandles<const MPI_Datatype> datatypes,
                               int size) {
  list.resize(static_cast<std::size_t>(size));
  for (std::size_t peer = 0; peer < list.size(); ++peer)
    list[peer] = bytes_of(counts[peer], datatypes[peer]);
  return list;
}

void describe_operation(trace::Action& action, MPI_Datatype datatype, MPI_Op op) {
  action.element_bytes = static_cast<std::uint32_t>(bytes_of(1, datatype));
  if (std::ranges::find(mpi().predefined_operations, op) == std::end(mpi().predefined_operations))
    add_flags(action, trace::flag_user_operation);
  int commutes = 1;
  mpi().Op_commutative(op, &commutes);
  if (commutes == 0) add_flags(action, trace::flag_noncommutative);
}

/// MPI gives no request where too much would come. The others meet this rank all the same: it has met them, too.
void end_refused(Recorder& recorder, Request& request) {
  std::erase(recorder.thread().begun, &request);
  if (request.place.exists()) {
    const trace::RequestId ended = request.id;
    recorder.append_of_recorded({.kind = ActionKind::wait, .requests = {&ended, 1}});
  }
  request.completion_seen = true;
  free_request(recorder, request);
}

/// Gives a persistent request lists of its own, for all its starts.
void keep_lists(Request& request) {
  trace::Action& action = request.action;
  if (action.counts.empty() && action.receive_counts.empty() && action.ranks.empty()) return;
  request.lists =
      std::make_unique<ActionLists>(ActionLists{{action.counts.begin(), action.counts.end()},
                                                {action.receive_counts.begin(), action.receive_counts.end()},
                                                {action.ranks.begin(), action.ranks.end()}});
  action.counts = request.lists->counts;
  action.receive_counts = request.lists->receive_counts;
  action.ranks = request.lists->ranks;
}

/// Records a collective over `comm` whose action `describe(action, communicator)` completes.
template <typename Describe>
void collective(Recorder& recorder, ActionKind kind, MPI_Comm comm, BegunRequest request, Describe&& describe) {
  const KnownCommunicator* const known = recorder.communicator(comm);
  if (known == nullptr) {
    if (request.persistent())
      begin_persistent_silent(recorder, request.handle());
    else if (request.handle() != nullptr)
      begin_silent(recorder, request.handle());
    return;
  }
  trace::Action action{.kind = kind, .communicator = known->id};
  if (thread_state.call->truncated()) add_flags(action, trace::flag_truncated);
  describe(action, *known);
  if (request.persistent()) return keep_lists(begin_persistent(recorder, request.handle(), action));
  Request* const begun = append(recorder, request.handle(), action);
  if (begun != nullptr && *request.handle() == mpi().request_null) end_refused(recorder, *begun);
}

void reduction(Recorder& recorder, ActionKind kind, const void* sendbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm, BegunRequest request) {
  collective(recorder, kind, comm, request, [&](trace::Action& action, const KnownCommunicator&) {
    action.bytes = bytes_of(count, datatype);
    add_flags(action, in_place(sendbuf));
    describe_operation(action, datatype, op);
  });
}

/// Records allgather and alltoall: one size to each, one from each.
void uniform(Recorder& recorder, ActionKind kind, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
             MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, BegunRequest request) {
  collective(recorder, kind, comm, request, [&](trace::Action& action, const KnownCommunicator&) {
    add_flags(action, in_place(sendbuf));
    action.receive_bytes = bytes_of(recvcount, recvtype);
    action.bytes = sendbuf == mpi().in_place ? action.receive_bytes : bytes_of(sendcount, sendtype);
  });
}

/// Adds the neighbours of the communicator's topology, as trace::Action describes them.
Neighbors add_neighbors(Recorder& recorder, trace::Action& action, MPI_Comm comm) {
  std::vector<trace::Rank>& ranks = recorder.thread().neighbors;
  const Neighbors neighbors = list_neighbors(comm, ranks);
  action.ranks = ranks;
  action.tag = 1 + neighbors.in;
  return neighbors;
}

/// Records one size to each neighbour, one from each.
void uniform_neighborhood(Recorder& recorder, ActionKind kind, MPI_Count sendcount, MPI_Datatype sendtype,
                          MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, BegunRequest request) {
  collective(recorder, kind, comm, request, [&](trace::Action& action, const KnownCommunicator&) {
    add_neighbors(recorder, action, comm);
    action.bytes = bytes_of(sendcount, sendtype);
    action.receive_bytes = bytes_of(recvcount, recvtype);
  });
}

/// Records an Alltoallv or Alltoallw: `Types` is one type, or a list of one for each member.
template <typename Types>
void listed(Recorder& recorder, ActionKind kind, const void* sendbuf, Counts sendcounts, Types sendtypes,
            Counts recvcounts, Types recvtypes, MPI_Comm comm, BegunRequest request) {
  collective(recorder, kind, comm, request, [&](trace::Action& action, const KnownCommunicator& communicator) {
    add_flags(action, in_place(sendbuf));
    action.receive_counts = volumes(recorder.thread().receive_counts, recvcounts, recvtypes, communicator.peers());
    action.counts = sendbuf == mpi().in_place
                        ? action.receive_counts
                        : volumes(recorder.thread().counts, sendcounts, sendtypes, communicator.peers());
  });
}

/// Records the same between neighbours.
template <typename Types>
void listed_neighborhood(Recorder& recorder, ActionKind kind, Counts sendcounts, Types sendtypes, Counts recvcounts,
                         Types recvtypes, MPI_Comm comm, BegunRequest request) {
  collective(recorder, kind, comm, request, [&](trace::Action& action, const KnownCommunicator&) {
    const Neighbors neighbors = add_neighbors(recorder, action, comm);
    action.counts = volumes(recorder.thread().counts, sendcounts, sendtypes, neighbors.out);
    action.receive_counts = volumes(recorder.thread().receive_counts, recvcounts, recvtypes, neighbors.in);
  });
}

} // namespace

void barrier(Recorder& recorder, MPI_Comm comm, BegunRequest request) {
  collective(recorder, ActionKind::barrier, comm, request, [](trace::Action&, const KnownCommunicator&) {});
}

void broadcast(Recorder& recorder, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
               BegunRequest request) {
  collective(recorder, ActionKind::broadcast, comm, request,
             [&](trace::Action& action, const KnownCommunicator& communicator) {
               action.peer = rooted(communicator, root).peer;
               action.bytes = bytes_of(count, datatype);
             });
}

void reduce(Recorder& recorder, const void* sendbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root,
            MPI_Comm comm, BegunRequest request) {
  collective(recorder, ActionKind::reduce, comm, request,
             [&](trace::Action& action, const KnownCommunicator& communicator) {
               action.peer = rooted(communicator, root).peer;
               action.bytes = bytes_of(count, datatype);
               add_flags(action, in_place(sendbuf));
               describe_operation(action, datatype, op);
             });
}

void allreduce(Recorder& recorder, const void* sendbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm, BegunRequest request) {
  reduction(recorder, ActionKind::allreduce, sendbuf, count, datatype, op, comm, request);
}

void scan(Recorder& recorder, const void* sendbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
          BegunRequest request) {
  reduction(recorder, ActionKind::scan, sendbuf, count, datatype, op, comm, request);
}

void exscan(Recorder& recorder, const void* sendbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
            BegunRequest request) {
  reduction(recorder, ActionKind::exscan, sendbuf, count, datatype, op, comm, request);
}

void reduce_scatter(Recorder& recorder, const void* sendbuf, Counts recvcounts, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, BegunRequest request) {
  collective(recorder, ActionKind::reduce_scatter, comm, request,
             [&](trace::Action& action, const KnownCommunicator& communicator) {
               // In an intercommunicator, too, the counts are those of the own group.
               action.counts = volumes(recorder.thread().counts, recvcounts, datatype, communicator.size);
               add_flags(action, in_place(sendbuf));
               describe_operation(action, datatype, op);
             });
}

void reduce_scatter_block(Recorder& recorder, const void* sendbuf, MPI_Count recvcount, MPI_Datatype datatype,
                          MPI_Op op, MPI_Comm comm, BegunRequest request) {
  reduction(recorder, ActionKind::reduce_scatter_block, sendbuf, recvcount, datatype, op, comm, request);
}

void gather(Recorder& recorder, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
            MPI_Datatype recvtype, int root, MPI_Comm comm, BegunRequest request) {
  collective(recorder, ActionKind::gather, comm, request,
             [&](trace::Action& action, const KnownCommunicator& communicator) {
               const Rooted at = rooted(communicator, root);
               action.peer = at.peer;
               add_flags(action, in_place(sendbuf));
               if (at.here) action.receive_bytes = bytes_of(recvcount, recvtype);
               if (sendbuf == mpi().in_place)
                 action.bytes = action.receive_bytes;
               else if (root != mpi().root && root != mpi().proc_null)
                 action.bytes = bytes_of(sendcount, sendtype);
             });
}

void gatherv(Recorder& recorder, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, Counts recvcounts,
             MPI_Datatype recvtype, int root, MPI_Comm comm, BegunRequest request) {
  collective(
      recorder, ActionKind::gatherv, comm, request, [&](trace::Action& action, const KnownCommunicator& communicator) {
        const Rooted at = rooted(communicator, root);
        action.peer = at.peer;
        add_flags(action, in_place(sendbuf));
        if (at.here)
          action.receive_counts = volumes(recorder.thread().receive_counts, recvcounts, recvtype, communicator.peers());
        if (sendbuf == mpi().in_place)
          action.bytes = at.here ? action.receive_counts[static_cast<std::size_t>(communicator.rank)] : 0;
        else if (root != mpi().root && root != mpi().proc_null)
          action.bytes = bytes_of(sendcount, sendtype);
      });
}

void scatter(Recorder& recorder, MPI_Count sendcount, MPI_Datatype sendtype, const void* recvbuf, MPI_Count recvcount,
             MPI_Datatype recvtype, int root, MPI_Comm comm, BegunRequest request) {
  collective(recorder, ActionKind::scatter, comm, request,
             [&](trace::Action& action, const KnownCommunicator& communicator) {
               const Rooted at = rooted(communicator, root);
               action.peer = at.peer;
               add_flags(action, in_place(recvbuf));
               if (at.here) action.bytes = bytes_of(sendcount, sendtype);
               if (recvbuf == mpi().in_place)
                 action.receive_bytes = action.bytes;
               else if (root != mpi().root && root != mpi().proc_null)
                 action.receive_bytes = bytes_of(recvcount, recvtype);
             });
}

void scatterv(Recorder& recorder, Counts sendcounts, MPI_Datatype sendtype, const void* recvbuf, MPI_Count recvcount,
              MPI_Datatype recvtype, int root, MPI_Comm comm, BegunRequest request) {
  collective(recorder, ActionKind::scatterv, comm, request,
             [&](trace::Action& action, const KnownCommunicator& communicator) {
               const Rooted at = rooted(communicator, root);
               action.peer = at.peer;
               add_flags(action, in_place(recvbuf));
               if (at.here)
                 action.counts = volumes(recorder.thread().counts, sendcounts, sendtype, communicator.peers());
               if (recvbuf == mpi().in_place)
                 action.receive_bytes = at.here ? action.counts[static_cast<std::size_t>(communicator.rank)] : 0;
               else if (root != mpi().root && root != mpi().proc_null)
                 action.receive_bytes = bytes_of(recvcount, recvtype);
             });
}

void allgather(Recorder& recorder, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
               MPI_Datatype recvtype, MPI_Comm comm, BegunRequest request) {
  uniform(recorder, ActionKind::allgather, sendbuf, sendcount, sendtype, recvcount, recvtype, comm, request);
}

void allgatherv(Recorder& recorder, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, Counts recvcounts,
                MPI_Datatype recvtype, MPI_Comm comm, BegunRequest request) {
  collective(recorder, ActionKind::allgatherv, comm, request,
             [&](trace::Action& action, const KnownCommunicator& communicator) {
               add_flags(action, in_place(sendbuf));
               action.receive_counts =
                   volumes(recorder.thread().receive_counts, recvcounts, recvtype, communicator.peers());
               action.bytes = sendbuf == mpi().in_place
                                  ? action.receive_counts[static_cast<std::size_t>(communicator.rank)]
                                  : bytes_of(sendcount, sendtype);
             });
}

void alltoall(Recorder& recorder, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
              MPI_Datatype recvtype, MPI_Comm comm, BegunRequest request) {
  uniform(recorder, ActionKind::alltoall, sendbuf, sendcount, sendtype, recvcount, recvtype, comm, request);
}

void alltoallv(Recorder& recorder, const void* sendbuf, Counts sendcounts, MPI_Datatype sendtype, Counts recvcounts,
               MPI_Datatype recvtype, MPI_Comm comm, BegunRequest request) {
  listed(recorder, ActionKind::alltoallv, sendbuf, sendcounts, sendtype, recvcounts, recvtype, comm, request);
}

void alltoallw(Recorder& recorder, const void* sendbuf, Counts sendcounts, ProgramHandles<const MPI_Datatype> sendtypes,
               Counts recvcounts, ProgramHandles<const MPI_Datatype> recvtypes, MPI_Comm comm, BegunRequest request) {
  listed(recorder, ActionKind::alltoallw, sendbuf, sendcounts, sendtypes, recvcounts, recvtypes, comm, request);
}

void neighbor_allgather(Recorder& recorder, MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                        MPI_Datatype recvtype, MPI_Comm comm, BegunRequest request) {
  uniform_neighborhood(recorder, ActionKind::neighbor_allgather, sendcount, sendtype, recvcount, recvtype, comm,
                       request);
}

void neighbor_allgatherv(Recorder& recorder, MPI_Count sendcount, MPI_Datatype sendtype, Counts recvcounts,
                         MPI_Datatype recvtype, MPI_Comm comm, BegunRequest request) {
  collective(recorder, ActionKind::neighbor_allgatherv, comm, request,
             [&](trace::Action& action, const KnownCommunicator&) {
               action.bytes = bytes_of(sendcount, sendtype);
               const Neighbors neighbors = add_neighbors(recorder, action, comm);
               action.receive_counts = volumes(recorder.thread().receive_counts, recvcounts, recvtype, neighbors.in);
             });
}

void neighbor_alltoall(Recorder& recorder, MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm, BegunRequest request) {
  uniform_neighborhood(recorder, ActionKind::neighbor_alltoall, sendcount, sendtype, recvcount, recvtype, comm,
                       request);
}

void neighbor_alltoallv(Recorder& recorder, Counts sendcounts, MPI_Datatype sendtype, Counts recvcounts,
                        MPI_Datatype recvtype, MPI_Comm comm, BegunRequest request) {
  listed_neighborhood(recorder, ActionKind::neighbor_alltoallv, sendcounts, sendtype, recvcounts, recvtype, comm,
                      request);
}

void neighbor_alltoallw(Recorder& recorder, Counts sendcounts, ProgramHandles<const MPI_Datatype> sendtypes,
                        Counts recvcounts, ProgramHandles<const MPI_Datatype> recvtypes, MPI_Comm comm,
                        BegunRequest request) {
  listed_neighborhood(recorder, ActionKind::neighbor_alltoallw, sendcounts, sendtypes, recvcounts, recvtypes, comm,
                      request);
}

} // namespace timeless::tracer::record
