#include "bodies.h"

#include "tracer/mpi/mpi_library.h"
#include "tracer/record/actions/record.h"

/// Bodies of the communicator calls that do more than create one.
namespace timeless::tracer::body {

namespace {

/// The communicator a call is to free, looked up before: MPI may give its handle to another at once.
class CommunicatorToFree {
public:
  CommunicatorToFree(CallScope& call, MPI_Comm handle) : handle_(handle) {
    call.record([this](Recorder& recorder) { known_ = recorder.communicators().find(handle_); });
  }
  void freed(Recorder& recorder, trace::ActionKind kind) const {
    if (known_ == nullptr) return recorder.count_unrecorded();
    recorder.append({.kind = kind, .communicator = known_->id});
    recorder.communicators().forget(handle_, *known_);
  }

private:
  MPI_Comm handle_;
  KnownCommunicator* known_ = nullptr;
};

/// Records an MPI_Comm_idup: numbered at the call, since that is what all members do in the same order; its handle may
/// come only with the completion of the request.
int duplicating(CallScope& call, int result, MPI_Comm comm, ProgramHandles<MPI_Comm> newcomm,
                ProgramHandles<MPI_Request> request) {
  call.record(result, [&](Recorder& recorder) {
    CommunicatorTable& communicators = recorder.communicators();
    KnownCommunicator* const parent = recorder.communicator(comm);
    if (parent == nullptr) return record::begin_silent(recorder, request);
    const bool named = *newcomm != nullptr && *newcomm != mpi().comm_null;
    KnownCommunicator* const made =
        communicators.add_duplicate(named ? *newcomm : nullptr, comm, communicators.next_creation(*parent));
    trace::Action action{.kind = trace::ActionKind::comm_dup, .communicator = parent->id, .new_communicator = made->id};
    Request& entry = record::begin(recorder, request, action);
    if (!named) {
      entry.duplicate = newcomm;
      entry.duplicate_known = made;
    }
    entry.place = recorder.append(action);
  });
  return result;
}

} // namespace

int Comm_idup(CallScope& call, MPI_Comm comm, ProgramHandles<MPI_Comm> newcomm, ProgramHandles<MPI_Request> request) {
  return duplicating(call, mpi().Comm_idup(comm, newcomm, request), comm, newcomm, request);
}

int Comm_idup_with_info(CallScope& call, MPI_Comm comm, MPI_Info info, ProgramHandles<MPI_Comm> newcomm,
                        ProgramHandles<MPI_Request> request) {
  return duplicating(call, mpi().Comm_idup_with_info(comm, info, newcomm, request), comm, newcomm, request);
}

int Comm_free(CallScope& call, ProgramHandles<MPI_Comm> comm) {
  const CommunicatorToFree before(call, *comm);
  const int result = mpi().Comm_free(comm);
  call.record(result, [&](Recorder& recorder) { before.freed(recorder, trace::ActionKind::comm_free); });
  return result;
}

int Comm_disconnect(CallScope& call, ProgramHandles<MPI_Comm> comm) {
  const CommunicatorToFree before(call, *comm);
  const int result = mpi().Comm_disconnect(comm);
  call.record(result, [&](Recorder& recorder) { before.freed(recorder, trace::ActionKind::comm_disconnect); });
  return result;
}

} // namespace timeless::tracer::body
