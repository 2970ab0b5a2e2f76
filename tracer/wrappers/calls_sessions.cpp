#include "bodies.h"

#include "tracer/counters/quiet_hwloc.h"
#include "tracer/mpi/mpi_library.h"
#include "tracer/mpi/world_group.h"
#include "tracer/process/self_test.h"
#include "tracer/process/signals.h"
#include "tracer/record/actions/record.h"
#include "tracer/wrappers/lifecycle.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <vector>

/// Bodies of the calls with which sessions begin and end.
///
/// Where no MPI_Init has been before, the recording begins with the program's first session, and ends when none is
/// left.
namespace timeless::tracer::body {

namespace {

/// The sessions that are open, and what became of the recording of them.
struct Sessions {
  std::mutex mutex;
  std::vector<MPI_Session> open;
  bool recorded = false;
  bool ended = false;
};

Sessions& sessions() {
  static auto& known = *new Sessions; // also while the process ends
  return known;
}

void session_begun(CallScope& call, MPI_Session session) {
  Sessions& known = sessions();
  const std::scoped_lock held(known.mutex);
  known.open.push_back(session);
  if (known.ended && known.open.size() == 1)
    std::fprintf(stderr, "timeless: NOT recorded: a session that begins after all others have ended, which has ended "
                         "the recording\n");
  if (call.recording() || known.recorded || world_begun()) return;
  use_world_of(session);
  known.recorded = true;
  start_recording_of_sessions(call);
}

/// Returns whether the recording is to end with this session. The group of all processes must be another's before.
bool is_last(MPI_Session session) {
  Sessions& known = sessions();
  const std::scoped_lock held(known.mutex);
  std::erase(known.open, session);
  if (!known.recorded || known.ended || world_begun()) return false;
  if (!known.open.empty()) use_world_of(known.open.back());
  return known.ended = known.open.empty();
}

} // namespace

int Session_init(CallScope& call, MPI_Info info, MPI_Errhandler errhandler, ProgramHandles<MPI_Session> session) {
  if (!mpi().recorded()) return mpi().Session_init(info, errhandler, session);
  const QuietHwloc quiet;
  if (call.by_program() && !call.recording()) remember_signals();
  const int result = mpi().Session_init(info, errhandler, session);
  if (result == MPI_SUCCESS && call.by_program()) session_begun(call, *session);
  if (result == MPI_SUCCESS && in_self_test()) end_self_test(call, [&] { mpi().Session_finalize(session); });
  return result;
}

int Session_finalize(CallScope& call, ProgramHandles<MPI_Session> session) {
  if (!mpi().recorded()) return mpi().Session_finalize(session);
  const bool last = call.by_program() && session != nullptr && is_last(*session);
  if (last) call.record([](Recorder& recorder) { record::release_freed(recorder); });
  const int result = mpi().Session_finalize(session);
  if (last) finalize_recording(call);
  return result;
}

} // namespace timeless::tracer::body
