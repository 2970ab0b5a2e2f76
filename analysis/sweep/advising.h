#pragma once

#include "analysis/advice.h"
#include "analysis/sweep/sweep.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace timeless::analysis {

/// A configuration of which somebody wants to know what helps.
struct AdvisedPoint {
  SweepPoint point;
  SpeedRange speeds;          ///< of the processors, that are to be expected
  bool network_used = true;   ///< see Advice
  bool recorded_part = false; ///< likewise
};

/// Returns the speeds that are looked at where the ends of a range do not agree: 1, and seventeen from one end to the
/// other.
std::vector<double> speeds_within(const SpeedRange& range);

/// Gives the configurations at some points, with their ideal makespans.
using ReplayedPoints = std::function<Sweep(std::span<const SweepPoint>)>;

/// Returns what helps at each point: at the expected speed and at both ends of the range and, where these do not agree,
/// at more speeds between, a sixteenth of the range apart. Nothing of a point that ends in a deadlock, changed or not.
/// Throws what replays do.
std::vector<std::optional<Advice>> advise(std::span<const AdvisedPoint> where, double threshold,
                                          const ReplayedPoints& replay);

} // namespace timeless::analysis
