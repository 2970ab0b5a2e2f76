#pragma once

#include <cstddef>

/// What the cases do, counted by icount's memory model.
namespace timeless::microkernels {

/// Writes "# cases: NUMBER" to stdout, then a line for each case, "count,KERNEL,BYTES,SWEEPS,VALUE,...", the values
/// those of trace::memory_events(), as many at once as `processes`. Throws Error(missing_capability) where the process
/// does not run under icount with its memory model, Error(runtime) where a process ends early.
void count_cases(std::size_t processes);

} // namespace timeless::microkernels
