#include "bodies.h"

#include "tracer/mpi/mpi_library.h"
#include "tracer/record/actions/record.h"

/// Bodies of the calls that open and close files.
namespace timeless::tracer::body {

/// The file's communicator is counted among those made over its parent whatever comes of the call, which may fail on
/// some ranks only.
int File_open(CallScope& call, MPI_Comm comm, const char* filename, int amode, MPI_Info info,
              ProgramHandles<MPI_File> fh) {
  const int result = mpi().File_open(comm, filename, amode, info, fh);
  call.record([&](Recorder& recorder) {
    KnownCommunicator* const parent = recorder.communicator(comm);
    if (parent == nullptr) return;
    const std::uint64_t creation = recorder.communicators().next_creation(*parent);
    if (result != MPI_SUCCESS) return;
    KnownCommunicator* const own = recorder.communicators().add_duplicate(nullptr, comm, creation);
    recorder.files().open(*fh, own);
    recorder.append({.kind = trace::ActionKind::file_open, .communicator = parent->id, .new_communicator = own->id});
  });
  return result;
}

int File_close(CallScope& call, ProgramHandles<MPI_File> fh) {
  const MPI_File before = fh != nullptr ? *fh : nullptr;
  const int result = mpi().File_close(fh);
  call.record(result, [&](Recorder& recorder) {
    record::file_call(recorder, trace::ActionKind::file_close, before);
    if (KnownCommunicator* const own = recorder.files().close(before)) recorder.communicators().forget(*own);
  });
  return result;
}

} // namespace timeless::tracer::body
