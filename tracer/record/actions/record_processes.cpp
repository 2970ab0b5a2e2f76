#include "tracer/record/actions/record.h"

#include "tracer/mpi/mpi_library.h"

#include <algorithm>

/// Calls that meet processes of another MPI_COMM_WORLD. Each makes an intercommunicator whose remote group is unknown
/// but for its size.
namespace timeless::tracer::record {

namespace {

void met_through(Recorder& recorder, trace::Action action, MPI_Comm parent, MPI_Comm newcomm) {
  KnownCommunicator* const known = recorder.communicator(parent);
  if (known == nullptr) return;
  action.communicator = known->id;
  action.new_communicator = recorder.communicators().add_intercommunicator(newcomm, 0)->id;
  recorder.append(action);
}

} // namespace

void spawned(Recorder& recorder, ActionKind kind, int commands, const int maxprocs[], int root, MPI_Comm comm,
             MPI_Comm intercomm) {
  trace::Action action{.kind = kind, .peer = root};
  int rank = mpi().proc_null;
  mpi().Comm_rank(comm, &rank);
  if (rank == root) {
    std::vector<trace::Bytes>& asked_for = recorder.thread().counts;
    asked_for.assign(maxprocs, maxprocs + std::max(commands, 0));
    action.counts = asked_for;
  }
  met_through(recorder, action, comm, intercomm);
}

void met(Recorder& recorder, ActionKind kind, int root, MPI_Comm comm, MPI_Comm newcomm) {
  met_through(recorder, {.kind = kind, .peer = root}, comm, newcomm);
}

void joined(Recorder& recorder, MPI_Comm intercomm) {
  met_through(recorder, {.kind = ActionKind::comm_join}, mpi().comm_self, intercomm);
}

} // namespace timeless::tracer::record
