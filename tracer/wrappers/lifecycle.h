#pragma once

#include "trace/model/run.h"
#include "tracer/record/call_scope.h"

#include <cstdlib>
#include <string>

namespace timeless::tracer {

/// Starts the recorder after MPI_Init, on all ranks. When any rank cannot, the lowest of them says
/// why and the job ends with that error's exit code: a job that was to be recorded does not run unrecorded.
void start_recording(CallScope& call);
/// Returns true once MPI_Init has been called.
bool world_begun();
/// Starts it after the first MPI_Session_init. That is local, so nobody can be met: each rank is recorded, or says why
/// not, by itself.
void start_recording_of_sessions(CallScope& call);

/// Ends the recording, if there is one, of a rank that has come to its end. MPI_Finalize begins with deleting the
/// attributes of MPI_COMM_SELF, the last set first, and only then ends MPI: in their callbacks a program may call MPI
/// still, and libraries clean up. The recording ends with the first of those attributes, which is start_recording's
/// own. So it is whole whatever happens in MPI_Finalize after that.
void finalize_recording(CallScope& call) noexcept;

/// Ends a program that only shows that it can be recorded (process/self_test.h), and its MPI by `end_mpi()`.
template <typename EndMpi>
[[noreturn]] void end_self_test(CallScope& call, EndMpi&& end_mpi) noexcept {
  finalize_recording(call);
  end_mpi();
  std::_Exit(EXIT_SUCCESS);
}

/// Ends the recording, if there is one. After an orderly end, rank 0 says where the trace is.
void finish_recording(CallScope& call, trace::Ending ending, const std::string& reason) noexcept;

} // namespace timeless::tracer
