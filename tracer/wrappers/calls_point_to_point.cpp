#include "bodies.h"

#include "tracer/mpi/mpi_library.h"
#include "tracer/mpi/out_status.h"
#include "tracer/record/actions/record.h"

#include <algorithm>

/// Bodies of the point-to-point calls that return a status, or a message.
namespace timeless::tracer::body {

namespace {

using trace::ActionKind;

std::uint16_t wildcard(int source, int tag) {
  return source == mpi().any_source || tag == mpi().any_tag ? trace::flag_wildcard : 0;
}

/// Records a probe that found a message.
void probed(Recorder& recorder, ActionKind kind, int source, int tag, MPI_Comm comm, const MPI_Status& status,
            ProgramHandles<const MPI_Message> message = nullptr) {
  if (source == mpi().proc_null || source_of(status) == mpi().proc_null) return;
  const KnownCommunicator* const known = recorder.communicator(comm);
  if (known == nullptr) return;
  trace::Action action{.kind = kind,
                       .flags = wildcard(source, tag),
                       .communicator = known->id,
                       .peer = source_of(status),
                       .tag = tag_of(status),
                       .bytes = record::received_bytes(status)};
  if (message != nullptr) {
    action.flags |= trace::flag_matched;
    recorder.kept().keep_message(*message, {known->id, action.peer, action.tag, action.bytes});
  }
  recorder.append(action);
}

/// The message a call is to receive, taken out of the recorder's table before the call: MPI may give its handle to
/// another as soon as it has been received.
class TakenMessage {
public:
  TakenMessage(CallScope& call, MPI_Message handle) : handle_(handle) {
    call.record([this](Recorder& recorder) { message_ = recorder.kept().take_message(handle_); });
  }
  /// Returns false when it is none the trace knows.
  bool known() const { return message_.has_value(); }
  trace::Action received() const {
    return {.kind = ActionKind::receive,
            .flags = trace::flag_matched,
            .communicator = message_->communicator,
            .peer = message_->peer,
            .tag = message_->tag,
            .bytes = message_->bytes};
  }
  /// Keeps the message, which has not been received.
  void keep(Recorder& recorder) const {
    if (message_) recorder.kept().keep_message(handle_, *message_);
  }

private:
  MPI_Message handle_;
  std::optional<MatchedMessage> message_;
};

/// Returns the bytes of a receive that has taken part. To one whose buffer was too small, as much as there is room for
/// has come at least: MPICH does not tell the whole length.
trace::Bytes received(int result, const MPI_Status& status, MPI_Count count, MPI_Datatype datatype) {
  const trace::Bytes told = record::received_bytes(status);
  return result == MPI_SUCCESS ? told : std::max(told, record::bytes_of(count, datatype));
}

/// Records the two halves of an MPI_Sendrecv; without partners, there is nothing to record.
void exchanged(Recorder& recorder, ActionKind kind, trace::Bytes bytes, int dest, int sendtag, int source, int recvtag,
               MPI_Comm comm, const MPI_Status& status, trace::Bytes received) {
  if (dest == mpi().proc_null && source == mpi().proc_null) return;
  const KnownCommunicator* const known = recorder.communicator(comm);
  if (known == nullptr) return;
  trace::Action action{.kind = kind, .communicator = known->id, .peer = record::peer_of(dest)};
  if (dest != mpi().proc_null) {
    action.tag = sendtag;
    action.bytes = bytes;
  }
  if (source != mpi().proc_null) {
    action.flags = wildcard(source, recvtag);
    action.receive_peer = source_of(status);
    action.receive_tag = tag_of(status);
    action.receive_bytes = received;
  }
  recorder.append(action);
}

/// The receives and exchanges, with counts of either width.
template <typename Function, typename Count>
int receive(CallScope& call, Function function, void* buf, Count count, MPI_Datatype datatype, int source, int tag,
            MPI_Comm comm, MPI_Status* status) {
  OutStatus read(status);
  const int result = function(buf, count, datatype, source, tag, comm, read.get());
  call.record([&](Recorder& recorder) {
    if (!record::took_part(result)) return;
    const KnownCommunicator* const known = source != mpi().proc_null ? recorder.communicator(comm) : nullptr;
    if (known == nullptr) return;
    recorder.append({.kind = ActionKind::receive,
                     .flags = wildcard(source, tag),
                     .communicator = known->id,
                     .peer = source_of(*read),
                     .tag = tag_of(*read),
                     .bytes = received(result, *read, count, datatype)});
  });
  return result;
}

template <typename Function, typename Count>
int exchange(CallScope& call, Function function, const void* sendbuf, Count sendcount, MPI_Datatype sendtype, int dest,
             int sendtag, void* recvbuf, Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
             MPI_Status* status) {
  OutStatus read(status);
  const int result = function(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                              recvtag, comm, read.get());
  call.record([&](Recorder& recorder) {
    if (!record::took_part(result)) return;
    exchanged(recorder, ActionKind::exchange, record::bytes_of(sendcount, sendtype), dest, sendtag, source, recvtag,
              comm, *read, received(result, *read, recvcount, recvtype));
  });
  return result;
}

template <typename Function, typename Count>
int replace(CallScope& call, Function function, void* buf, Count count, MPI_Datatype datatype, int dest, int sendtag,
            int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  OutStatus read(status);
  const int result = function(buf, count, datatype, dest, sendtag, source, recvtag, comm, read.get());
  call.record([&](Recorder& recorder) {
    if (!record::took_part(result)) return;
    exchanged(recorder, ActionKind::exchange_replace, record::bytes_of(count, datatype), dest, sendtag, source, recvtag,
              comm, *read, received(result, *read, count, datatype));
  });
  return result;
}

template <typename Function, typename Count>
int receive_matched(CallScope& call, Function function, void* buf, Count count, MPI_Datatype datatype,
                    ProgramHandles<MPI_Message> message, MPI_Status* status) {
  OutStatus read(status);
  const TakenMessage taken(call, message != nullptr ? *message : mpi().message_null);
  const int result = function(buf, count, datatype, message, read.get());
  call.record([&](Recorder& recorder) {
    if (!record::took_part(result))
      taken.keep(recorder);
    else if (taken.known())
      recorder.append(taken.received());
  });
  return result;
}

template <typename Function, typename Count>
int begin_matched(CallScope& call, Function function, void* buf, Count count, MPI_Datatype datatype,
                  ProgramHandles<MPI_Message> message, ProgramHandles<MPI_Request> request) {
  const TakenMessage taken(call, message != nullptr ? *message : mpi().message_null);
  const int result = function(buf, count, datatype, message, request);
  call.record([&](Recorder& recorder) {
    if (result != MPI_SUCCESS) return taken.keep(recorder);
    if (!taken.known()) return record::begin_silent(recorder, request);
    trace::Action action = taken.received();
    Request& entry = record::begin(recorder, request, action);
    record::begin_receive(recorder, entry, action);
  });
  return result;
}

} // namespace

int Recv(CallScope& call, void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
         MPI_Status* status) {
  return receive(call, mpi().Recv, buf, count, datatype, source, tag, comm, status);
}

int Recv_c(CallScope& call, void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
           MPI_Status* status) {
  return receive(call, mpi().Recv_c, buf, count, datatype, source, tag, comm, status);
}

int Sendrecv(CallScope& call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
             void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
             MPI_Status* status) {
  return exchange(call, mpi().Sendrecv, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                  source, recvtag, comm, status);
}

int Sendrecv_c(CallScope& call, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
               MPI_Status* status) {
  return exchange(call, mpi().Sendrecv_c, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                  source, recvtag, comm, status);
}

int Sendrecv_replace(CallScope& call, void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
                     int recvtag, MPI_Comm comm, MPI_Status* status) {
  return replace(call, mpi().Sendrecv_replace, buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
}

int Sendrecv_replace_c(CallScope& call, void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag,
                       int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return replace(call, mpi().Sendrecv_replace_c, buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
}

int Probe(CallScope& call, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  OutStatus read(status);
  const int result = mpi().Probe(source, tag, comm, read.get());
  call.record(result, [&](Recorder& recorder) { probed(recorder, ActionKind::probe, source, tag, comm, *read); });
  return result;
}

int Iprobe(CallScope& call, int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  OutStatus read(status);
  const int result = mpi().Iprobe(source, tag, comm, flag, read.get());
  if (result == MPI_SUCCESS && *flag == 0) {
    call.record_nothing();
    return result;
  }
  call.record(result, [&](Recorder& recorder) { probed(recorder, ActionKind::poll, source, tag, comm, *read); });
  return result;
}

int Mprobe(CallScope& call, int source, int tag, MPI_Comm comm, ProgramHandles<MPI_Message> message,
           MPI_Status* status) {
  OutStatus read(status);
  const int result = mpi().Mprobe(source, tag, comm, message, read.get());
  call.record(result,
              [&](Recorder& recorder) { probed(recorder, ActionKind::probe, source, tag, comm, *read, message); });
  return result;
}

int Improbe(CallScope& call, int source, int tag, MPI_Comm comm, int* flag, ProgramHandles<MPI_Message> message,
            MPI_Status* status) {
  OutStatus read(status);
  const int result = mpi().Improbe(source, tag, comm, flag, message, read.get());
  if (result == MPI_SUCCESS && *flag == 0) {
    call.record_nothing();
    return result;
  }
  call.record(result,
              [&](Recorder& recorder) { probed(recorder, ActionKind::poll, source, tag, comm, *read, message); });
  return result;
}

int Mrecv(CallScope& call, void* buf, int count, MPI_Datatype datatype, ProgramHandles<MPI_Message> message,
          MPI_Status* status) {
  return receive_matched(call, mpi().Mrecv, buf, count, datatype, message, status);
}

int Mrecv_c(CallScope& call, void* buf, MPI_Count count, MPI_Datatype datatype, ProgramHandles<MPI_Message> message,
            MPI_Status* status) {
  return receive_matched(call, mpi().Mrecv_c, buf, count, datatype, message, status);
}

int Imrecv(CallScope& call, void* buf, int count, MPI_Datatype datatype, ProgramHandles<MPI_Message> message,
           ProgramHandles<MPI_Request> request) {
  return begin_matched(call, mpi().Imrecv, buf, count, datatype, message, request);
}

int Imrecv_c(CallScope& call, void* buf, MPI_Count count, MPI_Datatype datatype, ProgramHandles<MPI_Message> message,
             ProgramHandles<MPI_Request> request) {
  return begin_matched(call, mpi().Imrecv_c, buf, count, datatype, message, request);
}

} // namespace timeless::tracer::body
