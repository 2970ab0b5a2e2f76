#pragma once

#include "replay/result/result.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace timeless::analysis {

/// What bounds a program on a network (Tong et al., section III.G and IV.C).
enum class Bound {
  computation,
  imbalance,
  bandwidth,
  latency,
  communication, ///< bandwidth and latency together
  mixed,         ///< none of the definitions holds
};

/// The limits the definitions leave to the user; the defaults are the paper's (section IV.C).
struct Thresholds {
  double computation = 0.90;   ///< least share of computation in the total for "computation"
  double communication = 0.25; ///< least share of communication (latency, bandwidth and wait) for a bound
  double sensitive = 0.10;     ///< least share for a "-sensitive" answer
  double insensitive = 0.05;   ///< a change below this is none
  double gain = 2;             ///< by what communication must shrink over a fourfold improvement
  /// True: a class's quantity is insensitive by its change relative to itself, the paper's literal reading.
  /// False: relative to the total time, so that a large change of a tiny quantity does not count.
  bool insensitive_of_own = false;
  /// True: copies of sent messages count as communication; false: as computation.
  bool copies_communicate = false;
};

/// The figures a class is decided on. Times are means over ranks, seconds; shares are of the mean total at the anchor.
struct Evidence {
  double total = 0; ///< predicted time at the anchor: the makespan
  double computation = 0;
  double wait = 0;
  double latency = 0;
  double bandwidth = 0;
  double overhead = 0;
  double communication = 0;     ///< wait + latency + bandwidth, and copies where Thresholds say so
  double total_change = 0;      ///< largest relative change of the total over all configurations
  double wait_change = 0;       ///< largest change of the wait over all configurations
  double latency_change = 0;    ///< largest change of communication as latency alone goes from L/8 to 8L
  double bandwidth_change = 0;  ///< largest change of communication as bandwidth alone goes from BW/8 to 8BW
  double bandwidth_gain = 1;    ///< communication at BW/2 over that at 2BW
  double latency_gain = 1;      ///< communication at 2L over that at L/2
  double both_gain = 1;         ///< communication at (BW/2, 2L) over that at (2BW, L/2)
  double bandwidth_speedup = 1; ///< total at the anchor over that at 8BW
  double latency_speedup = 1;   ///< total at the anchor over that at L/8
  double both_speedup = 1;      ///< total at the anchor over that at (8BW, L/8)
  double bandwidth_twice = 1;   ///< the same at 2BW
  double latency_twice = 1;     ///< at L/2
  double both_twice = 1;        ///< at (2BW, L/2)
};

/// Something that a definition asks for, and what was found.
struct Condition {
  std::string what; ///< "ranks wait {} of the time", with {} for what was found
  double found = 0;
  double limit = 0;
  bool at_least = true; ///< true: the limit or more; false: less than it
  bool gain = false;    ///< a factor; else a share of the time

  bool holds() const { return at_least ? found >= limit : found < limit; }
  /// Returns what was found: "ranks wait 13 % of the time".
  std::string words() const;
  /// Returns what it asks for: "25 % or more", "less than 5 %".
  std::string wanted() const;
  /// Returns by how much it is missed, as the logarithm of a factor; 0 where it holds.
  double miss() const;
};

/// What a class asks for.
struct Definition {
  Bound bound = Bound::mixed;
  bool sensitive = false;
  std::vector<Condition> conditions;
};

/// What bounds a program on one machine, and the figures that say so.
struct Classification {
  Bound bound = Bound::mixed;
  bool sensitive = false; ///< the weaker form: communication is between `sensitive` and `communication` of the total
  Evidence evidence;
  Thresholds thresholds = {};
};

/// Returns the definitions of all classes but mixed, with what was found.
std::vector<Definition> definitions(const Evidence& evidence, const Thresholds& thresholds);

/// Returns the definition that is missed by least: by the fewest conditions, then by the smallest factors; of a
/// "-sensitive" answer, that of its class itself. Nothing where all hold.
std::optional<Definition> nearest_missed(const Classification& classification);

/// Lanes of one network's classification, in the order of replay::classification_lanes.
inline constexpr std::size_t classification_lane_count = 21;

/// What a class rests on of a lane.
struct LaneSummary {
  double makespan = 0;    ///< seconds
  replay::RankTimes mean; ///< over the ranks
};

/// Classifies from the 21 lanes of a network. Where several definitions hold, computation comes before imbalance,
/// and that before the network's: of bandwidth, latency and communication the one with the largest gain, a narrower one
/// winning over communication unless that gains more than `insensitive` beyond it.
Classification classify(std::span<const LaneSummary> lanes, const Thresholds& thresholds = {});
Classification classify(std::span<const replay::LaneResult> lanes, const Thresholds& thresholds = {});

/// Returns "computation", "latency-sensitive", "mixed" and so on.
std::string name(const Classification& classification);

/// Returns the names there are.
std::vector<std::string> class_names();

/// Returns "latency", "latency-sensitive" and so on.
std::string name(const Definition& definition);

/// Returns why, in one sentence with the figures that decided, and those that the nearest other definition missed:
/// "...; the nearest other class is imbalance, missed because ranks wait 13 % of the time (25 % or more is needed)".
std::string reason(const Classification& classification);

} // namespace timeless::analysis
