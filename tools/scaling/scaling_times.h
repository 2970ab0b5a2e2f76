#pragma once

#include "analysis/scaling/time/equations.h"
#include "analysis/scaling/time/growth.h"
#include "tools/machines/preset_machine.h"

#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

/// A number of ranks that nobody recorded, as the replay of an extrapolated trace has it.
struct ReplayedTarget {
  analysis::ScalePlace place = {};
  std::string refused = {}; ///< why there is no such trace; empty: there is
  std::string grid = {};    ///< of the ranks, and how that was found
  double error = 0;         ///< how far off a rank's work may be, relative
  std::optional<analysis::TimedRun> timed = {};
};

/// What the runs take on a machine, and what more ranks would.
struct ScalingTimes {
  std::string machine = {};
  ComputeBasis compute = {};
  std::vector<std::string> notes = {};
  std::vector<std::string> names = {};         ///< of `runs`
  std::vector<analysis::TimedRun> runs = {};   ///< those that laws are from, then the check run
  analysis::ScaleEquations equations = {};
  std::vector<analysis::EquationTime> by_equations = {}; ///< of the check run, where there is one, then of the targets
  std::vector<ReplayedTarget> targets = {};
  /// Share of the loads and stores, of the run of most ranks, that come from behind the last cache; where the runs have
  /// a profile of memory, and the machine says its caches.
  std::optional<double> last_cache_misses = {};
  std::optional<analysis::Growth> growth = {}; ///< between the two that were asked for
  std::string growth_from = {};                ///< "8 ranks"
  std::string growth_to = {};
  std::optional<analysis::TimedRun> growth_run = {}; ///< the latter
};

struct ScalingRequest;

/// Throws Error(usage) unless a request names one machine.
void demand_one_machine(const ScalingRequest& request);

/// Replays the runs of an answer, and targets as extrapolated from them. Throws Error(usage) for numbers of ranks to
/// compare that there is no run of; Error(invalid_input) for a run that deadlocks on the machine.
ScalingTimes scaling_times(const ScalingRequest& request, const analysis::Scaling& scaling);

} // namespace timeless::tools
