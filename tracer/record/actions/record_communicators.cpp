#include "tracer/record/actions/record.h"

#include "tracer/mpi/mpi_library.h"

namespace timeless::tracer::record {

namespace {

/// Records a creation whose result, if this rank got one, `enter` adds to the table.
template <typename Enter>
void creation(Recorder& recorder, ActionKind kind, const KnownCommunicator& parent, MPI_Comm newcomm, Enter&& enter) {
  trace::Action action{.kind = kind, .communicator = parent.id};
  if (newcomm != mpi().comm_null) {
    action.new_communicator = enter()->id;
    recorder.name_in_journal(newcomm);
  }
  recorder.append(action);
}

} // namespace

void created(Recorder& recorder, ActionKind kind, MPI_Comm parent, MPI_Comm newcomm) {
  KnownCommunicator* const known = recorder.communicator(parent);
  if (known == nullptr) return;
  const std::uint64_t identity = recorder.communicators().next_creation(*known);
  creation(recorder, kind, *known, newcomm, [&] { return recorder.communicators().add(newcomm, identity); });
}

void created_group(Recorder& recorder, MPI_Comm parent, int tag, MPI_Comm newcomm) {
  KnownCommunicator* const known = recorder.communicator(parent);
  if (known == nullptr) return;
  creation(recorder, ActionKind::comm_create_group, *known, newcomm,
           [&] { return recorder.communicators().add_of_group(newcomm, *known, tag); });
}

void created_intercommunicator(Recorder& recorder, MPI_Comm local_comm, int tag, MPI_Comm newcomm) {
  const KnownCommunicator* const known = recorder.communicator(local_comm);
  if (known == nullptr) return;
  creation(recorder, ActionKind::intercomm_create, *known, newcomm,
           [&] { return recorder.communicators().add_intercommunicator(newcomm, tag); });
}

} // namespace timeless::tracer::record
