#include "tracer/record/actions/record.h"

#include "tracer/mpi/mpi_library.h"

#include <atomic>

namespace timeless::tracer::record {

namespace {

trace::Action send_action(const KnownCommunicator& communicator, SendMode mode, MPI_Count count, MPI_Datatype datatype,
                          int dest, int tag) {
  return {.kind = ActionKind::send,
          .mode = mode,
          .communicator = communicator.id,
          .peer = peer_of(dest),
          .tag = tag,
          .bytes = bytes_of(count, datatype)};
}

trace::Action receive_action(const KnownCommunicator& communicator, MPI_Count count, MPI_Datatype datatype, int source,
                             int tag) {
  const bool wildcard = source == mpi().any_source || tag == mpi().any_tag;
  return {.kind = ActionKind::receive,
          .flags = wildcard ? static_cast<std::uint16_t>(trace::flag_wildcard) : std::uint16_t{0},
          .communicator = communicator.id,
          .peer = peer_of(source),
          .tag = tag_of(tag),
          .bytes = bytes_of(count, datatype)};
}

} // namespace

trace::Bytes bytes_of(MPI_Count count, MPI_Datatype datatype) {
  if (count <= 0 || datatype == nullptr || datatype == mpi().datatype_null) return 0;
  MPI_Count size = 0;
  mpi().Type_size_x(datatype, &size);
  return size > 0 ? static_cast<trace::Bytes>(size) * static_cast<trace::Bytes>(count) : 0;
}

trace::Rank peer_of(int rank) {
  if (rank == mpi().proc_null) return trace::no_rank;
  return rank == mpi().any_source ? trace::any_rank : rank;
}

trace::Tag tag_of(int tag) {
  return tag == mpi().any_tag ? trace::any_tag : tag;
}

trace::Bytes received_bytes(const MPI_Status& status) {
  MPI_Count bytes = 0;
  mpi().Get_elements_x(&status, mpi().byte, &bytes);
  return bytes > 0 ? static_cast<trace::Bytes>(bytes) : 0;
}

void send(Recorder& recorder, SendMode mode, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
          ProgramHandles<const MPI_Request> request) {
  const KnownCommunicator* const known = dest != mpi().proc_null ? recorder.communicator(comm) : nullptr;
  if (known == nullptr) {
    if (request != nullptr) begin_silent(recorder, request);
    return;
  }
  trace::Action action = send_action(*known, mode, count, datatype, dest, tag);
  append(recorder, request, action);
}

void receive(Recorder& recorder, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
             ProgramHandles<const MPI_Request> request) {
  const KnownCommunicator* const known = source != mpi().proc_null ? recorder.communicator(comm) : nullptr;
  if (known == nullptr) return begin_silent(recorder, request);
  trace::Action action = receive_action(*known, count, datatype, source, tag);
  Request& entry = begin(recorder, request, action);
  begin_receive(recorder, entry, action);
}

void send_init(Recorder& recorder, SendMode mode, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, ProgramHandles<const MPI_Request> request) {
  const KnownCommunicator* const known = dest != mpi().proc_null ? recorder.communicator(comm) : nullptr;
  if (known == nullptr) return begin_persistent_silent(recorder, request);
  begin_persistent(recorder, request, send_action(*known, mode, count, datatype, dest, tag));
}

void receive_init(Recorder& recorder, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                  ProgramHandles<const MPI_Request> request) {
  const KnownCommunicator* const known = source != mpi().proc_null ? recorder.communicator(comm) : nullptr;
  if (known == nullptr) return begin_persistent_silent(recorder, request);
  begin_persistent(recorder, request, receive_action(*known, count, datatype, source, tag)).receive = true;
}

void send_receive(Recorder& recorder, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                  MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                  ProgramHandles<const MPI_Request> request) {
  if (dest == mpi().proc_null) return receive(recorder, recvcount, recvtype, source, recvtag, comm, request);
  if (source == mpi().proc_null)
    return send(recorder, SendMode::standard, sendcount, sendtype, dest, sendtag, comm, request);
  const KnownCommunicator* const known = recorder.communicator(comm);
  if (known == nullptr) return begin_silent(recorder, request);
  trace::Action sent = send_action(*known, SendMode::standard, sendcount, sendtype, dest, sendtag);
  trace::Action received = receive_action(*known, recvcount, recvtype, source, recvtag);
  Request& entry = begin(recorder, request, received);
  if (!recorder.paused()) sent.request = recorder.requests().number_send_half(entry);
  recorder.append(sent);
  begin_receive(recorder, entry, received);
}

void send_partitions(Recorder& recorder, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                     MPI_Comm comm, ProgramHandles<const MPI_Request> request) {
  const KnownCommunicator* const known = dest != mpi().proc_null ? recorder.communicator(comm) : nullptr;
  if (known == nullptr) return begin_persistent_silent(recorder, request);
  begin_persistent(recorder, request, send_action(*known, SendMode::standard, partitions * count, datatype, dest, tag))
      .partitions = partitions;
}

/// Its status need not say how much has come, which is all of it.
void receive_partitions(Recorder& recorder, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                        MPI_Comm comm, ProgramHandles<const MPI_Request> request) {
  const KnownCommunicator* const known = source != mpi().proc_null ? recorder.communicator(comm) : nullptr;
  if (known == nullptr) return begin_persistent_silent(recorder, request);
  begin_persistent(recorder, request, receive_action(*known, partitions * count, datatype, source, tag));
}

MPI_Count narrow_count(MPI_Count count) {
  return mpi().Psend_init_c != nullptr ? static_cast<int>(count) : count;
}

/// Threads may each have partitions, and say so at once.
void partitions_ready(Recorder& recorder, int partitions, MPI_Request request) {
  Request* const known = recorder.find_request(request);
  if (known == nullptr || known->id == trace::no_request) return;
  if (std::atomic_ref(known->ready).fetch_add(partitions) + partitions == known->partitions)
    known->place = recorder.append(known->action);
}

} // namespace timeless::tracer::record
