#pragma once

#include "analysis/advice.h"
#include "analysis/sweep/sweep.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

/// Answers that may depend on the speed of the processors. They are looked for at the expected speed and at both ends
/// of a range; where these do not agree, at more speeds between, a sixteenth of the range apart; and where an answer
/// turns between two of them, ever more closely, until these are no further apart than switchover_precision.
namespace timeless::analysis {

/// Gives the configurations at some points, with their ideal makespans.
using ReplayedPoints = std::function<Sweep(std::span<const SweepPoint>)>;

/// A configuration of which somebody wants to know what helps.
struct AdvisedPoint {
  SweepPoint point;
  SpeedRange speeds;          ///< of the processors, that are to be expected
  bool network_used = true;   ///< see Advice
  bool recorded_part = false; ///< likewise
};

/// Returns what helps at each point. Nothing of a point that ends in a deadlock, changed or not. Throws what replays
/// do.
std::vector<std::optional<Advice>> advise(std::span<const AdvisedPoint> where, double threshold,
                                          const ReplayedPoints& replay);

/// A machine and another one in its place, of which somebody wants to know what that saves.
struct ChangedPoint {
  SweepPoint before;
  SweepPoint after;
  SpeedRange speeds;               ///< of the processors, that are to be expected
  std::vector<TimesAtSpeed> times; ///< at the expected speed, which comes first, and at the ends of the range
};

/// Returns what each change is worth (ChangeKind::machine). Throws what replays do.
std::vector<Change> weigh(std::span<const ChangedPoint> where, double threshold, const ReplayedPoints& replay);

} // namespace timeless::analysis
