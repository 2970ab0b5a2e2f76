#pragma once

#include "tracer/record/call_scope.h"

namespace timeless::tracer {

/// Sets whose marks of regions are recorded: those of `thread` alone, or, when that is null, of any. A mark is no MPI
/// call, so nothing keeps a program from setting some in threads that may not call MPI: those must not disturb the
/// recorder.
void take_marks_of(const ThreadState* thread) noexcept;

} // namespace timeless::tracer
