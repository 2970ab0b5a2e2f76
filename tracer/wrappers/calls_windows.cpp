#include "bodies.h"

#include "tracer/mpi/mpi_library.h"
#include "tracer/record/actions/record.h"

/// Bodies of the window calls that replace the handle, or may find nothing.
namespace timeless::tracer::body {

/// Looked up before: MPI may give its handle to another window at once.
int Win_free(CallScope& call, ProgramHandles<MPI_Win> win) {
  const MPI_Win before = win != nullptr ? *win : nullptr;
  KnownWindow* known = nullptr;
  call.record([&](Recorder& recorder) { known = recorder.windows().find(before); });
  const int result = mpi().Win_free(win);
  call.record(result, [&](Recorder& recorder) {
    if (known == nullptr) return recorder.count_unrecorded();
    record::freed_window(recorder, before, *known);
  });
  return result;
}

int Win_test(CallScope& call, MPI_Win win, int* flag) {
  const int result = mpi().Win_test(win, flag);
  call.record(result, [&](Recorder& recorder) {
    if (*flag != 0) record::exposed(recorder, trace::ActionKind::win_test, win);
  });
  return result;
}

} // namespace timeless::tracer::body
