#include "tracer/record/actions/record.h"

#include "tracer/mpi/mpi_library.h"

#include <functional>
#include <string_view>

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

/// Returns a tag for a string that tells creations apart.
int tag_of_text(const char* text) {
  return static_cast<int>(std::hash<std::string_view>{}(text) >> 33U);
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

void created_from_group(Recorder& recorder, const char* stringtag, MPI_Comm newcomm) {
  KnownCommunicator& world = recorder.communicators().world();
  creation(recorder, ActionKind::comm_create_group, world, newcomm,
           [&] { return recorder.communicators().add_of_group(newcomm, world, tag_of_text(stringtag)); });
}

void created_from_groups(Recorder& recorder, const char* stringtag, MPI_Comm newcomm) {
  KnownCommunicator& world = recorder.communicators().world();
  CommunicatorTable& communicators = recorder.communicators();
  const int tag = tag_of_text(stringtag);
  KnownCommunicator* const local = communicators.add_local_group(newcomm, world, tag);
  recorder.append({.kind = ActionKind::comm_create_group, .communicator = world.id, .new_communicator = local->id});
  creation(recorder, ActionKind::intercomm_create, *local, newcomm,
           [&] { return communicators.add_intercommunicator(newcomm, tag); });
  communicators.forget(*local);
}

} // namespace timeless::tracer::record
