#pragma once

#include "analysis/critical_path.h"
#include "analysis/efficiencies.h"
#include "analysis/scaling/scaling.h"

#include "replay/result/result.h"
#include "trace/model/source.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// What a run takes on a machine, under names that runs of other numbers of ranks have, too.
namespace timeless::analysis {

/// What one kernel takes in a replay, in seconds.
struct KernelTime {
  double mean = 0;                   ///< computation, over all ranks
  double most = 0;                   ///< of the rank that computes longest in it
  trace::Rank rank = trace::no_rank; ///< that one
  double wait = 0;                   ///< in the calls from its end to the next kernel, mean over all ranks
  double path = 0;                   ///< computed on the critical path
  double memory = 0;                 ///< of `mean`, for lines that are not in the first cache; see add_memory()
  /// Seconds that kernels take on the critical path before it comes to those calls, since the rank that waits there was
  /// on it, or all ranks were together in a collective: by whom ranks are kept there.
  std::map<KernelKey, double> delayed_by = {};

  /// Returns what the path computes in it beyond the mean: what ranks lose that wait for those with more of it.
  /// Negative where the path goes by ranks with less of it.
  double excess() const { return path - mean; }
};

/// What the time of a run goes into, in seconds: means over the ranks, what they wait included.
struct TimeByPart {
  double computation = 0;
  std::optional<double> memory =
      {};                    ///< of the computation, for lines that are not in the first cache, where that is known
  double point_to_point = 0; ///< calls that send, receive, probe or complete
  double collective = 0;     ///< collective calls, those that make communicators, windows and files among them
  double other = 0;          ///< other calls, and the time before the clock began

  double communication() const { return point_to_point + collective; }
  double sum() const { return computation + communication() + other; }
};

/// Returns the part of the time that calls of a family belong to.
double TimeByPart::*part_of(trace::ActionFamily family);

/// A run on a machine.
struct TimedRun {
  ScalePlace place = {};
  double makespan = 0; ///< seconds
  Efficiencies efficiencies = {};
  TimeByPart parts = {};
  std::map<KernelKey, KernelTime> kernels = {};
  double path_latency = 0;   ///< seconds of the critical path
  double path_bandwidth = 0; ///< likewise
  double path_rest = 0;      ///< copies, overheads, reductions, files; and computation in no kernel that is known
  std::vector<double> computed = {}; ///< by each rank
  std::vector<double> waited = {};   ///< likewise
};

/// Returns what a replay by calls divides the time of its first lane into; `families` are those of the calls, by name.
TimeByPart time_by_part(const replay::Result& by_call, const std::map<std::string, trace::ActionFamily>& families);

/// Returns what a replay says of a run. It divides the time of its first lane, which does not deadlock, by kernels;
/// `parts` and `path`, the critical path, are of it, too.
TimedRun timed_run(const trace::Run& run, const replay::Result& by_kernel, const TimeByPart& parts,
                   const CriticalPath& path);

/// Divides what each kernel computes by the share, by KernelId, that it waits for lines which are not in the first
/// cache: T_mem and BF_mem of Ding et al. in one.
void add_memory(TimedRun& timed, const trace::Run& run, std::span<const double> shares);

} // namespace timeless::analysis
