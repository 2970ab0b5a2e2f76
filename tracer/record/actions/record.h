#pragma once

#include "trace/model/action.h"
#include "tracer/mpi/mpi_library.h"
#include "tracer/mpi/program_handles.h"
#include "tracer/record/recorder.h"

#include <cstddef>
#include <string_view>

/// What the rows of calls.def say of how a call is recorded: each function is given the arguments of an MPI call that
/// has succeeded, and tells the recorder. A null request means the blocking form.
namespace timeless::tracer::record {

using trace::ActionKind;
using trace::SendMode;

/// Counts of elements, one for each rank: large ones, or as they were before MPI-4.
class Counts {
public:
  Counts(const int* counts) : counts_(counts) {}             // NOLINT(google-explicit-constructor)
  Counts(const MPI_Count* counts) : large_counts_(counts) {} // NOLINT(google-explicit-constructor)
  MPI_Count operator[](std::size_t rank) const { return counts_ != nullptr ? counts_[rank] : large_counts_[rank]; }

private:
  const int* counts_ = nullptr;
  const MPI_Count* large_counts_ = nullptr;
};

/// Where the program gets the request of a collective that has begun, or that each MPI_Start will begin; null for the
/// blocking form.
class BegunRequest {
public:
  BegunRequest(std::nullptr_t /*none*/) {} // NOLINT(google-explicit-constructor)
  template <typename Handle>
  BegunRequest(ProgramHandles<Handle> request) : handle_(request) {} // NOLINT(google-explicit-constructor)
  static BegunRequest by_start(ProgramHandles<const MPI_Request> request) {
    BegunRequest begun(request);
    begun.persistent_ = true;
    return begun;
  }
  ProgramHandles<const MPI_Request> handle() const { return handle_; }
  bool persistent() const { return persistent_; }

private:
  ProgramHandles<const MPI_Request> handle_;
  bool persistent_ = false;
};

inline BegunRequest persistent(ProgramHandles<const MPI_Request> request) {
  return BegunRequest::by_start(request);
}

// Sizes and ranks.
trace::Bytes bytes_of(MPI_Count count, MPI_Datatype datatype);
/// Returns a source or destination; MPI_PROC_NULL is no_rank, MPI_ANY_SOURCE any_rank.
trace::Rank peer_of(int rank);
trace::Tag tag_of(int tag);
trace::Bytes received_bytes(const MPI_Status& status);
/// Returns true when a call has taken part in the communication: also one to which more came than its buffer holds. Of
/// a message, the status then tells the whole length.
inline bool took_part(int result) {
  return result == MPI_SUCCESS || error_class(result) == mpi().err_truncate;
}

// Point to point.
void send(Recorder& recorder, SendMode mode, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
          ProgramHandles<const MPI_Request> request = nullptr);
void receive(Recorder& recorder, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
             ProgramHandles<const MPI_Request> request);
void send_init(Recorder& recorder, SendMode mode, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, ProgramHandles<const MPI_Request> request);
void receive_init(Recorder& recorder, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                  ProgramHandles<const MPI_Request> request);
/// Records the two messages of one request.
void send_receive(Recorder& recorder, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                  MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                  ProgramHandles<const MPI_Request> request);
/// Enters a partitioned send: one message, which leaves when the last of its partitions is ready.
void send_partitions(Recorder& recorder, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                     MPI_Comm comm, ProgramHandles<const MPI_Request> request);
void receive_partitions(Recorder& recorder, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                        MPI_Comm comm, ProgramHandles<const MPI_Request> request);
/// Returns the count of MPI_Psend_init and MPI_Precv_init, which is large, or where MPI has a second form for that
/// (MPI-5) narrow: then the rest of a register may hold anything.
MPI_Count narrow_count(MPI_Count count);
void partitions_ready(Recorder& recorder, int partitions, MPI_Request request);

// Requests.
/// Enters the request of an action about to be recorded: gives it a number and writes that into the action.
Request& begin(Recorder& recorder, ProgramHandles<const MPI_Request> request, trace::Action& action);
/// Records an action, of a blocking call where `request` is null. Returns the request that it starts, or null.
Request* append(Recorder& recorder, ProgramHandles<const MPI_Request> request, trace::Action& action);
/// Enters a request of which nothing is recorded.
void begin_silent(Recorder& recorder, ProgramHandles<const MPI_Request> request);
/// Enters a persistent request, whose number lasts until it is freed, through all its starts: each is recorded as the
/// action.
Request& begin_persistent(Recorder& recorder, ProgramHandles<const MPI_Request> request, trace::Action action);
/// Enters a persistent request of a call that is not recorded, so that its starts are seen to be none of ours.
void begin_persistent_silent(Recorder& recorder, ProgramHandles<const MPI_Request> request);
/// Counts a call that no action can say, and enters its request.
void not_recorded(Recorder& recorder, ProgramHandles<const MPI_Request> request = nullptr);
/// Records the receive of a request, or the start of a persistent one.
void begin_receive(Recorder& recorder, Request& request, const trace::Action& action);
/// Says what a receive has received (at least what it has room for, where that was too little), in its own action while
/// that is still held, else in one of its own.
void settle_receive(Recorder& recorder, Request& request, const MPI_Status& status, bool truncated = false);
/// Says that nothing more will be learnt of a receive.
void give_up_receive(Recorder& recorder, Request& request);

/// Asks MPI whether a request that the program frees has ended, and records how a receive or a cancelled request has.
/// False when it has not. Never of a generalized request: that would call the program.
bool ask_of_end(Recorder& recorder, Request& request);
/// Records that a request is freed, and ends it.
void free_request(Recorder& recorder, Request& request);
/// Frees those of the receives kept by KeptHandles::keep_freed that have ended.
void release_complete(Recorder& recorder);
/// Frees all of them, before MPI_Finalize. What has received nothing by now is recorded as cancelled.
void release_freed(Recorder& recorder);

void generalized_started(Recorder& recorder, ProgramHandles<const MPI_Request> request);

// Collectives.
void barrier(Recorder& recorder, MPI_Comm comm, BegunRequest request = nullptr);
void broadcast(Recorder& recorder, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
               BegunRequest request = nullptr);
void reduce(Recorder& recorder, const void* sendbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root,
            MPI_Comm comm, BegunRequest request = nullptr);
void allreduce(Recorder& recorder, const void* sendbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm, BegunRequest request = nullptr);
void scan(Recorder& recorder, const void* sendbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
          BegunRequest request = nullptr);
void exscan(Recorder& recorder, const void* sendbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
            BegunRequest request = nullptr);
void reduce_scatter(Recorder& recorder, const void* sendbuf, Counts recvcounts, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, BegunRequest request = nullptr);
void reduce_scatter_block(Recorder& recorder, const void* sendbuf, MPI_Count recvcount, MPI_Datatype datatype,
                          MPI_Op op, MPI_Comm comm, BegunRequest request = nullptr);
void gather(Recorder& recorder, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
            MPI_Datatype recvtype, int root, MPI_Comm comm, BegunRequest request = nullptr);
void gatherv(Recorder& recorder, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, Counts recvcounts,
             MPI_Datatype recvtype, int root, MPI_Comm comm, BegunRequest request = nullptr);
void scatter(Recorder& recorder, MPI_Count sendcount, MPI_Datatype sendtype, const void* recvbuf, MPI_Count recvcount,
             MPI_Datatype recvtype, int root, MPI_Comm comm, BegunRequest request = nullptr);
void scatterv(Recorder& recorder, Counts sendcounts, MPI_Datatype sendtype, const void* recvbuf, MPI_Count recvcount,
              MPI_Datatype recvtype, int root, MPI_Comm comm, BegunRequest request = nullptr);
void allgather(Recorder& recorder, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
               MPI_Datatype recvtype, MPI_Comm comm, BegunRequest request = nullptr);
void allgatherv(Recorder& recorder, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, Counts recvcounts,
                MPI_Datatype recvtype, MPI_Comm comm, BegunRequest request = nullptr);
void alltoall(Recorder& recorder, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
              MPI_Datatype recvtype, MPI_Comm comm, BegunRequest request = nullptr);
void alltoallv(Recorder& recorder, const void* sendbuf, Counts sendcounts, MPI_Datatype sendtype, Counts recvcounts,
               MPI_Datatype recvtype, MPI_Comm comm, BegunRequest request = nullptr);
void alltoallw(Recorder& recorder, const void* sendbuf, Counts sendcounts, ProgramHandles<const MPI_Datatype> sendtypes,
               Counts recvcounts, ProgramHandles<const MPI_Datatype> recvtypes, MPI_Comm comm,
               BegunRequest request = nullptr);
void neighbor_allgather(Recorder& recorder, MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                        MPI_Datatype recvtype, MPI_Comm comm, BegunRequest request = nullptr);
void neighbor_allgatherv(Recorder& recorder, MPI_Count sendcount, MPI_Datatype sendtype, Counts recvcounts,
                         MPI_Datatype recvtype, MPI_Comm comm, BegunRequest request = nullptr);
void neighbor_alltoall(Recorder& recorder, MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm, BegunRequest request = nullptr);
void neighbor_alltoallv(Recorder& recorder, Counts sendcounts, MPI_Datatype sendtype, Counts recvcounts,
                        MPI_Datatype recvtype, MPI_Comm comm, BegunRequest request = nullptr);
void neighbor_alltoallw(Recorder& recorder, Counts sendcounts, ProgramHandles<const MPI_Datatype> sendtypes,
                        Counts recvcounts, ProgramHandles<const MPI_Datatype> recvtypes, MPI_Comm comm,
                        BegunRequest request = nullptr);

// Communicators.
/// Records a creation that is collective over the parent; newcomm may be MPI_COMM_NULL.
void created(Recorder& recorder, ActionKind kind, MPI_Comm parent, MPI_Comm newcomm);
void created_group(Recorder& recorder, MPI_Comm parent, int tag, MPI_Comm newcomm);
void created_intercommunicator(Recorder& recorder, MPI_Comm local_comm, int tag, MPI_Comm newcomm);
/// Records a creation by the members of a group, of no parent but the world. Strings of one hash tell none apart.
void created_from_group(Recorder& recorder, const char* stringtag, MPI_Comm newcomm);
/// Records the same of two groups: as a communicator of each, which no handle names, and one between them.
void created_from_groups(Recorder& recorder, const char* stringtag, MPI_Comm newcomm);

// Processes of other worlds.
/// Records the processes that `commands` commands have started; how many of each is known at the root only.
void spawned(Recorder& recorder, ActionKind kind, int commands, const int maxprocs[], int root, MPI_Comm comm,
             MPI_Comm intercomm);
/// Records the processes that another program's call has brought (MPI_Comm_accept, MPI_Comm_connect).
void met(Recorder& recorder, ActionKind kind, int root, MPI_Comm comm, MPI_Comm newcomm);
/// Records the process at the other end of a socket.
void joined(Recorder& recorder, MPI_Comm intercomm);

// One-sided communication. A target of MPI_PROC_NULL leaves no action. Of an epoch that has begun while recording was
// switched off the trace does not get the end either.
void created_window(Recorder& recorder, ActionKind kind, MPI_Aint size, MPI_Comm comm, MPI_Win win);
void freed_window(Recorder& recorder, MPI_Win win, KnownWindow& known);
void fence(Recorder& recorder, int assertion, MPI_Win win);
void put(Recorder& recorder, MPI_Count count, MPI_Datatype datatype, int target, MPI_Win win,
         ProgramHandles<const MPI_Request> request = nullptr);
void get(Recorder& recorder, MPI_Count count, MPI_Datatype datatype, int target, MPI_Win win,
         ProgramHandles<const MPI_Request> request = nullptr);
void accumulate(Recorder& recorder, MPI_Count count, MPI_Datatype datatype, int target, MPI_Op op, MPI_Win win,
                ProgramHandles<const MPI_Request> request = nullptr);
void get_accumulate(Recorder& recorder, MPI_Count count, MPI_Datatype datatype, MPI_Count result_count,
                    MPI_Datatype result_datatype, int target, MPI_Op op, MPI_Win win,
                    ProgramHandles<const MPI_Request> request = nullptr);
void fetch_and_op(Recorder& recorder, MPI_Datatype datatype, int target, MPI_Op op, MPI_Win win);
void compare_and_swap(Recorder& recorder, MPI_Datatype datatype, int target, MPI_Win win);
void post(Recorder& recorder, MPI_Group group, int assertion, MPI_Win win);
void start(Recorder& recorder, MPI_Group group, int assertion, MPI_Win win);
void complete(Recorder& recorder, MPI_Win win);
/// Records the end of an exposure: MPI_Win_wait, or MPI_Win_test that has found it.
void exposed(Recorder& recorder, ActionKind kind, MPI_Win win);
void lock(Recorder& recorder, int type, int target, int assertion, MPI_Win win);
void unlock(Recorder& recorder, int target, MPI_Win win);
void lock_all(Recorder& recorder, int assertion, MPI_Win win);
void unlock_all(Recorder& recorder, MPI_Win win);
void flush(Recorder& recorder, ActionKind kind, int target, MPI_Win win);
/// Records a flush of all targets, or MPI_Win_sync.
void flush_all(Recorder& recorder, ActionKind kind, MPI_Win win);

// Files.
/// Records a call that moves nothing.
void file_call(Recorder& recorder, ActionKind kind, MPI_File file);
/// Records a call that gives the file a size.
void file_sized(Recorder& recorder, ActionKind kind, MPI_File file, MPI_Offset size);
void file_read(Recorder& recorder, ActionKind kind, MPI_File file, trace::Bytes bytes,
               ProgramHandles<const MPI_Request> request = nullptr);
void file_written(Recorder& recorder, ActionKind kind, MPI_File file, trace::Bytes bytes,
                  ProgramHandles<const MPI_Request> request = nullptr);
void file_deleted(Recorder& recorder);

// Regions.
void begin_region(Recorder& recorder, std::string_view name);
void end_region(Recorder& recorder, std::string_view name);

} // namespace timeless::tracer::record
