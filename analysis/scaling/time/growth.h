#pragma once

#include "analysis/scaling/time/timed_run.h"

#include <optional>
#include <vector>

/// Why a run of more ranks takes longer than it should.
namespace timeless::analysis {

/// What a part of the critical path is.
enum class GrowthOf : unsigned char {
  work,      ///< what ranks compute in a kernel, on average
  imbalance, ///< what the path computes in a kernel beyond that: others wait for the ranks that have more of it
  latency,
  bandwidth,
  rest, ///< copies, overheads, reductions, files
};
const char* name(GrowthOf of);

/// A part of the makespan in two runs, in seconds.
struct GrownPart {
  GrowthOf of = GrowthOf::rest;
  KernelKey kernel = {}; ///< of work and imbalance
  double before = 0;
  double expected = 0; ///< had it scaled as the ranks and the size do
  double after = 0;

  double lost() const { return after - expected; }
};

/// Waiting in the calls behind a kernel, in two runs.
struct GrownWait {
  KernelKey behind = {};
  double before = 0; ///< seconds, mean over the ranks
  double expected = 0;
  double after = 0;
  KernelKey cause =
      {}; ///< the kernel that the ranks wait for, by what the path has of it beyond the mean before it comes there
  bool known = false;   ///< there is one that has more than the mean
  double explained = 0; ///< seconds: what the path has of it there beyond the mean, the most that a rank waits for it

  double lost() const { return after - expected; }
};

/// What two runs differ in beyond what their numbers of ranks and sizes explain.
struct Growth {
  double factor = 1;   ///< what everything should have become, as a part of what it was
  double before = 0;   ///< makespans, seconds
  double expected = 0; ///< factor * before
  double after = 0;
  std::vector<GrownPart> parts = {}; ///< what loses most first; before, expected and after add up to the makespans'
  std::vector<GrownWait> waits = {}; ///< likewise

  double lost() const { return after - expected; }
};

/// Compares two runs by their critical paths. Each is divided exactly into what ranks compute on average in each
/// kernel, what the path computes beyond that, and what else it takes, so the parts of the difference add up to it:
///
///     T = sum_k mean(C_k) + sum_k (path_k - mean(C_k)) + latency + bandwidth + rest
///
/// `factor` is what a perfect program's time would become.
Growth growth(const TimedRun& before, const TimedRun& after, double factor);

/// What the ranks in one position compute, on average: what another decomposition of the work might give them, or take.
struct PositionTime {
  std::string position = {};
  std::size_t ranks = 0;
  double computed = 0; ///< seconds, mean over these ranks
  double waited = 0;   ///< likewise
};

/// Returns the times of a run's ranks by their positions, the busiest first.
std::vector<PositionTime> time_by_position(const TimedRun& run, const RankPositions& positions);

/// Returns POP's computation scaling: what the ranks of the first run compute, by what those of another do, in all
/// (strong) or each (weak), by size where sizes are given. Nothing where nothing is computed.
std::optional<double> computation_scaling(const TimedRun& first, const TimedRun& other, const Scaling& scaling);

} // namespace timeless::analysis
