#include "bodies.h"

#include "tracer/mpi_library.h"
#include "tracer/record.h"

/// Bodies of the communicator calls that do more than create one.
namespace timeless::tracer::body {

namespace {

void freed(Recorder& recorder, trace::ActionKind kind, MPI_Comm handle) {
  const KnownCommunicator* const known = recorder.communicator(handle);
  if (known == nullptr) return;
  recorder.append({.kind = kind, .communicator = known->id});
  recorder.communicators().forget(handle);
}

} // namespace

/// Numbered at the call, since that is what all members do in the same order; its handle may come only with the
/// completion of the request.
int Comm_idup(CallScope& call, MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  const int result = mpi().Comm_idup(comm, newcomm, request);
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

int Comm_free(CallScope& call, MPI_Comm* comm) {
  const MPI_Comm before = *comm;
  const int result = mpi().Comm_free(comm);
  call.record(result, [&](Recorder& recorder) { freed(recorder, trace::ActionKind::comm_free, before); });
  return result;
}

int Comm_disconnect(CallScope& call, MPI_Comm* comm) {
  const MPI_Comm before = *comm;
  const int result = mpi().Comm_disconnect(comm);
  call.record(result, [&](Recorder& recorder) { freed(recorder, trace::ActionKind::comm_disconnect, before); });
  return result;
}

} // namespace timeless::tracer::body
