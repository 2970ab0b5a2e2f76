#include "bodies.h"

#include "tracer/counters/quiet_hwloc.h"
#include "tracer/mpi/mpi_library.h"
#include "tracer/process/self_test.h"
#include "tracer/process/signals.h"
#include "tracer/record/actions/record.h"
#include "tracer/wrappers/lifecycle.h"

#include <cstdint>
#include <string>

/// Bodies of the calls that begin and end MPI, or the recording.
namespace timeless::tracer::body {

namespace {

/// The lowest level of MPI_Pcontrol that is a region's number.
constexpr int first_region = 2;

/// Begins the recording, where MPI has.
void begun(CallScope& call, int result) {
  if (result != MPI_SUCCESS || !call.by_program() || !mpi().recorded()) return;
  start_recording(call);
  if (in_self_test()) end_self_test(call, [] { mpi().Finalize(); });
}

} // namespace

int Init(CallScope& call, int* argc, char*** argv) {
  const QuietHwloc quiet;
  if (call.by_program()) remember_signals();
  const int result = mpi().Init(argc, argv);
  begun(call, result);
  return result;
}

int Init_thread(CallScope& call, int* argc, char*** argv, int required, int* provided) {
  const QuietHwloc quiet;
  if (call.by_program()) remember_signals();
  const int result = mpi().Init_thread(argc, argv, required, provided);
  begun(call, result);
  return result;
}

int Finalize(CallScope& call) {
  call.record([](Recorder& recorder) { record::release_freed(recorder); });
  const int result = mpi().Finalize();
  // Where MPI has not said that the program's callbacks have been called. No MPI can be asked here any more.
  if (result == MPI_SUCCESS) finalize_recording(call);
  return result;
}

int Abort(CallScope& call, MPI_Comm comm, int errorcode) {
  finish_recording(call, trace::Ending::stopped, "MPI_Abort with code " + std::to_string(errorcode));
  return mpi().Abort(comm, errorcode);
}

int Pcontrol(CallScope& call, int level) {
  const int result = mpi().Pcontrol(level);
  call.record(result, [&](Recorder& recorder) {
    if (level == 0 || level == 1) recorder.pause(level == 0);
    if (level >= first_region) record::begin_region(recorder, "level " + std::to_string(level));
    if (level <= -first_region) record::end_region(recorder, "level " + std::to_string(-std::int64_t{level}));
  });
  return result;
}

} // namespace timeless::tracer::body
