#pragma once

#include "replay/result/result.h"
#include "trace/model/source.h"

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace timeless::analysis {

/// What of a piece of the critical path one kernel computed.
struct KernelOnPath {
  trace::KernelId kernel = trace::no_kernel;
  double seconds = 0;
};

/// The critical path of a replay, with the kernels computed on it, and its sums.
struct CriticalPath {
  std::vector<replay::PathSegment> segments;
  std::vector<std::vector<KernelOnPath>> kernels; ///< by segment; those that took longest first
  /// By segment: of a message or a collective, the kernel that its rank had computed last when it came to wait for it.
  std::vector<trace::KernelId> computed_before;
  /// By segment: whether it is in a collective of all ranks that keeps each of them until the last, or the root, has
  /// come.
  std::vector<bool> together;

  double makespan = 0;
  double compute = 0;
  double latency = 0;
  double bandwidth = 0;
  double rest = 0;                             ///< copies, overheads, reductions, files
  double not_started = 0;                      ///< until the clock of its first rank began
  double forgotten = 0;                        ///< in a beginning that was not kept; counted in the five above, too
  std::map<trace::Rank, double> by_rank;       ///< seconds the path spends in what ranks do themselves
  std::map<trace::KernelId, double> by_kernel; ///< no_kernel: in none that is known
  std::uint64_t messages = 0;
  double in_messages = 0; ///< seconds
  std::uint64_t collectives = 0;
  double in_collectives = 0;
};

/// Looks up in the source which kernels the path's pieces computed: a piece's computation is divided in proportion to
/// the volumes, each times its kernel's `factor` (see Network::kernel_factor). Reads the streams of the ranks on the
/// path once, one after the other. `progress`, if given, is called now and then with the actions read.
CriticalPath explain_path(const trace::Source& source, std::vector<replay::PathSegment> segments,
                          const std::function<double(trace::KernelId)>& factor,
                          const std::function<void(std::uint64_t)>& progress = {});

} // namespace timeless::analysis
