#pragma once

#include "analysis/classification.h"
#include "analysis/efficiencies.h"
#include "analysis/sweep/sweep_plan.h"
#include "replay/result/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace timeless::analysis {

/// What the seconds of a critical path are.
enum class PathPart : std::uint8_t { computation, latency, bandwidth, rest };
const char* name(PathPart part);

/// What a sweep keeps of a configuration: a replay's LaneResult without its ranks, unless they were asked for.
struct SweptConfiguration {
  SweepPoint point;
  std::string name;    ///< as a replay has it
  double makespan = 0; ///< seconds; infinity in a deadlock
  replay::RankTimes mean;
  std::optional<double> ideal_makespan;
  Efficiencies efficiencies;
  replay::Sensitivity sensitivity; ///< the critical path's seconds
  std::vector<replay::RankTimes> ranks;
  std::shared_ptr<const replay::Diagnosis> deadlock; ///< null when it ends

  /// Returns what most of the critical path is; copies, overheads and files are the rest.
  PathPart longest_part() const;
  /// Returns whether latency or bandwidth is more of it.
  PathPart longer_network_part() const {
    return sensitivity.latency > sensitivity.bandwidth ? PathPart::latency : PathPart::bandwidth;
  }
};

/// The times of a run on a grid of configurations.
struct Sweep {
  std::vector<SweptConfiguration> configurations; ///< in the order of their points
  std::uint64_t actions = 0;                      ///< of one configuration
  std::size_t passes = 0;                         ///< how often the trace was replayed
  bool order_matters = false;                     ///< see replay::Result
  std::vector<std::string> notes;
  std::vector<replay::NotModelled> not_modelled;
};

/// How a grid is replayed: what shares a pass, and what may be kept in memory.
struct SweepOptions {
  std::vector<std::string> machines; ///< names
  /// Whether two points can be replayed together; those that can are told by any of them.
  std::function<bool(const SweepPoint&, const SweepPoint&)> share_a_pass;
  std::size_t ranks = 1;
  bool keep_ranks = false;
  bool one_must_end = true; ///< points that all end in a deadlock are a problem, not an answer
  /// Ranks times configurations whose times a pass holds, and those that are kept; more configurations take several
  /// passes, more that are kept are refused.
  std::size_t most_rank_times = 2'000'000;
  std::size_t most_lanes = 1024; ///< configurations of a pass
};

/// Replays points that share a pass, in their order.
using ReplayPoints = std::function<replay::Result(std::span<const SweepPoint>)>;

/// Replays all points, as many in a pass as memory allows. A point that ends in a deadlock says so; throws
/// ReplayProblem when all do and one must end, and Error(usage) where more is to be kept than may be.
Sweep sweep(std::span<const SweepPoint> points, const ReplayPoints& replay, const SweepOptions& options);

/// Returns the class of a point that was swept with its classification_points(); nothing where one of them does not
/// end.
std::optional<Classification> classification(const Sweep& sweep, std::span<const std::size_t> places,
                                             const Thresholds& thresholds = {});

} // namespace timeless::analysis
