#pragma once

#include <cstddef>

/// What the cases do, counted by icount's memory model.
namespace timeless::microkernels {

/// Writes a line for each case of a part to stdout: "count,KERNEL,BYTES,SWEEPS,VALUE,...", the values those of
/// trace::memory_events(). Throws Error(missing_capability) where the process does not run under icount with its memory
/// model.
void count_cases(std::size_t part, std::size_t parts);

} // namespace timeless::microkernels
