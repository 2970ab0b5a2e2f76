// Notes when MPI ends the process, as it does after an error that nobody handles: it calls _exit, of which nothing else
// in the process hears.
#include "tracer/mpi/mpi_modules.h"
#include "tracer/process/signals.h"

#include <cstdlib>
#include <sys/syscall.h>
#include <unistd.h>

namespace timeless::tracer {

namespace {

/// Ends the process as the C library's _exit does.
[[noreturn]] void end_process(int status, const void* caller) {
  if (noting_ends() && is_of_mpi(caller)) note_end_by_mpi(status);
  while (true)
    ::syscall(SYS_exit_group, status);
}

} // namespace

} // namespace timeless::tracer

extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier)
__attribute__((visibility("default"))) void _exit(int status) {
  timeless::tracer::end_process(status, __builtin_return_address(0));
}

__attribute__((visibility("default"))) void _Exit(int status) noexcept {
  timeless::tracer::end_process(status, __builtin_return_address(0));
}
// NOLINTEND(bugprone-reserved-identifier)
}
