#pragma once

#include "analysis/trace/summary.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace timeless::analysis {

/// What one kernel has counted of the profiled events, over all ranks; lists are in the order of the events.
struct KernelCounts {
  trace::KernelId kernel = 0;
  std::uint64_t bursts = 0;
  std::vector<double> sums;
  std::vector<Spread> per_rank; ///< of the ranks that visit the kernel
};

/// Returns the kernels that count most of the first event first; empty when nothing was profiled.
std::vector<KernelCounts> kernel_counts(const trace::Run& run);

/// What a run's kernels have counted.
struct Profile {
  std::vector<KernelCounts> kernels;
  std::size_t ranks_without = 0; ///< ranks that did not come to write theirs: it is written when the recording ends
};
Profile profile_of(const trace::Run& run);

} // namespace timeless::analysis
