#pragma once

#include "trace/model/source.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace timeless::analysis {

/// One computation of a kernel: how much, by a recording of volumes, and how long, by a launch of the same program.
struct Visit {
  double volume = 0;  ///< in the unit of the recording of volumes
  double seconds = 0; ///< less the cost of reading the clock; 0 where nothing was left
};

/// The visits of one kernel in one launch: all sums, and of the visits as many as there is room for, evenly spaced.
class VisitSample {
public:
  void add(const Visit& visit);

  std::span<const Visit> visits() const { return visits_; }
  std::uint64_t count() const { return count_; }
  double volume() const { return volume_; }
  double seconds() const { return seconds_; }

private:
  static constexpr std::size_t most = 1U << 15U;

  std::vector<Visit> visits_; ///< every stride_-th
  std::uint64_t stride_ = 1;
  std::uint64_t count_ = 0;
  double volume_ = 0;
  double seconds_ = 0;
};

/// What one rank computed in one launch.
struct RankSums {
  double volume = 0;
  double seconds = 0;
};

/// A launch whose times stand beside the volumes of another recording of the same program.
struct JoinedLaunch {
  std::vector<VisitSample> kernels; ///< by KernelId of the volumes' run
  std::vector<RankSums> ranks;      ///< in the order of the volumes' run
  bool processor_time = false;      ///< the clock stood still while the rank did not run
  /// Ranks that met others in another order than recorded, and were joined kernel by kernel.
  std::vector<trace::Rank> reordered = {};
  double unjoined = 0; ///< volume of theirs that no visit of the launch is known for
};

/// Joins a recording of volumes with one of times (counter walltime or cputime) of the same program with the same input
/// on as many ranks: the i-th computation of a rank there is the i-th here, since both lie between the same calls. A
/// launch by the recording's own counter with timestamps has both, volumes and times; what reading counter and clock
/// takes is then the shortest of its computations.
///
/// Two recordings are of one program when each rank makes the same calls in the same order: the same kinds, partners,
/// sizes and communicators, between the same places of the same build, and were started with the same arguments, where
/// these are known. What may differ from run to run is left out: the partners of receives from anybody, the requests
/// that a call for any of several has completed, and how large the buffer of a receive was.
///
/// Where the first difference of a rank is in calls that succeed when others are ready (probes, tests, Waitany and
/// Waitsome), the rank is joined kernel by kernel instead: the i-th visit of a kernel is the i-th there, if it has as
/// many; else its volume counts as unjoined.
///
/// Memory is bounded by the number of kernels, and by the visits of one rank that is joined so. Throws
/// Error(invalid_input) naming the first difference: rank, action and what differs.
JoinedLaunch join(const trace::Source& volumes, const trace::Source& times);

/// Returns how the arguments of two runs of as many ranks differ, or the first call that one makes and the other does
/// not: rank, action and what differs, as join() compares them, but wherever in whichever build they are made. Nothing
/// where there is none, or where the first difference of a rank is in calls that succeed when others are ready.
std::optional<std::string> difference(const trace::Source& recorded, const trace::Source& launched);

} // namespace timeless::analysis
