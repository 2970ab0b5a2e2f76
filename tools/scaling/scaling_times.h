#pragma once

#include "analysis/scaling/rank_grid.h"
#include "analysis/scaling/time/equations.h"
#include "analysis/scaling/time/growth.h"
#include "tools/machines/preset_machine.h"
#include "trace/model/source.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace timeless::tools {

/// A number of ranks that nobody recorded, as the replay of an extrapolated trace has it.
struct ReplayedTarget {
  analysis::ScalePlace place = {};
  std::string refused = {}; ///< why there is no such trace; empty: there is
  std::string advice = {};  ///< what to do about it; may be empty
  analysis::RankGrid grid = {};
  std::string assumption = {}; ///< how the grid was found: "the recorded grid"
  double error = 0;            ///< how far off a rank's work may be, relative
  std::optional<analysis::TimedRun> timed = {};
};

/// What the runs take on a machine, and what more ranks would.
struct ScalingTimes {
  std::string machine = {};
  std::vector<std::string> mappings = {}; ///< sentences: "9, 12 ranks recorded on 1 host: one rank per node"
  ComputeBasis compute = {};
  std::vector<std::string> notes = {};
  std::vector<std::string> names = {};       ///< of `runs`
  std::vector<analysis::TimedRun> runs = {}; ///< those that laws are from, then the check run
  analysis::ScaleEquations equations = {};
  std::vector<analysis::EquationTime> by_equations = {}; ///< of the check run, where there is one, then of the targets
  double tolerance = 0; ///< how far off the work of extrapolated ranks may be, relative
  std::vector<ReplayedTarget> targets = {};
  std::vector<ReplayedTarget> other_grids = {}; ///< the last target that has a trace, its ranks as other grids, the
                                                ///< fastest first, then those refused
  std::string no_other_grids = {};              ///< why there are none, where they were asked for
  std::optional<ReplayedTarget> check = {};     ///< the check run, as the others are extrapolated to it
  /// Share of the loads and stores, of the run of most ranks, that come from behind the last cache; where the runs have
  /// a profile of memory, and the machine says its caches.
  std::optional<double> last_cache_misses = {};
  bool memory_profiled = false;                ///< that run
  std::optional<analysis::Growth> growth = {}; ///< between the two that were asked for
  std::string growth_from = {};                ///< "8 ranks"
  std::string growth_to = {};
  std::optional<analysis::TimedRun> growth_run = {};  ///< the latter
  std::vector<analysis::PositionTime> positions = {}; ///< of it, where it is recorded and positions explain differences
};

struct ScalingRequest;

/// Recordings that are open, by the names of their runs.
using OpenRecordings = std::map<std::string, const trace::Source*>;

/// The actions and the ranks up to which a target is replayed: some tens of seconds, and some GB.
inline constexpr double most_replayed_actions = 1e8;
inline constexpr double most_replayed_ranks = 262144;
/// How many other grids of a target are replayed.
inline constexpr std::size_t most_other_grids = 12;

/// Throws Error(usage) unless a request names one machine, and, where it asks for a comparison, two different numbers
/// of ranks.
void demand_answerable(const ScalingRequest& request);

/// Throws Error(usage) where a request compares numbers of ranks that are neither recorded nor targets.
void demand_known_ranks(const ScalingRequest& request, std::span<const analysis::ScalePlace> places);

/// Replays the runs of an answer once each, and targets as extrapolated from those that laws are from, up to
/// most_replayed_actions; where other grids are asked for, the last of them that has a trace as these, too. Throws
/// Error(missing_capability) where a target is to be compared that cannot be extrapolated;
/// Error(invalid_input) for a run that deadlocks on the machine.
ScalingTimes scaling_times(const ScalingRequest& request, const analysis::Scaling& scaling,
                           const OpenRecordings& recordings);

} // namespace timeless::tools
