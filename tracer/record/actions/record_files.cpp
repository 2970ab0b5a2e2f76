#include "tracer/record/actions/record.h"

/// Calls on files. What MPI calls inside itself to serve them is none of the program's, and not recorded.
namespace timeless::tracer::record {

namespace {

void file_action(Recorder& recorder, trace::Action action, MPI_File file, ProgramHandles<const MPI_Request> request) {
  const KnownCommunicator* const own = recorder.files().find(file);
  if (own == nullptr) {
    recorder.count_unrecorded();
    if (request != nullptr) begin_silent(recorder, request);
    return;
  }
  action.communicator = own->id;
  append(recorder, request, action);
}

} // namespace

void file_call(Recorder& recorder, ActionKind kind, MPI_File file) {
  file_action(recorder, {.kind = kind}, file, nullptr);
}

void file_sized(Recorder& recorder, ActionKind kind, MPI_File file, MPI_Offset size) {
  file_action(recorder, {.kind = kind, .bytes = static_cast<trace::Bytes>(size)}, file, nullptr);
}

void file_read(Recorder& recorder, ActionKind kind, MPI_File file, trace::Bytes bytes,
               ProgramHandles<const MPI_Request> request) {
  file_action(recorder, {.kind = kind, .receive_bytes = bytes}, file, request);
}

void file_written(Recorder& recorder, ActionKind kind, MPI_File file, trace::Bytes bytes,
                  ProgramHandles<const MPI_Request> request) {
  file_action(recorder, {.kind = kind, .bytes = bytes}, file, request);
}

void file_deleted(Recorder& recorder) {
  recorder.append({.kind = ActionKind::file_delete});
}

} // namespace timeless::tracer::record
