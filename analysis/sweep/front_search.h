#pragma once

#include "analysis/advice.h"
#include "analysis/sweep/sweep.h"
#include "analysis/sweep/upgrades.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace timeless::analysis {

/// A makespan at a speed of the processors, and how it grows with the time that computation takes.
struct TimeAndSlope {
  double makespan = 0; ///< seconds; infinity where the program does not end
  double slope = 0;    ///< seconds more for each unit of the factor of computation, which is 1 / speed
};
/// Returns that of a configuration at a speed: the computation of its critical path is the slope.
TimeAndSlope time_and_slope(const SweptConfiguration& one, double speed);

/// A part of a range of speeds in which an upgrade is not on the Pareto front.
struct BeatenRange {
  std::optional<SpeedRange> from; ///< it begins between these speeds; nothing: at the slowest of the range
  std::optional<SpeedRange> to;   ///< it ends between these; nothing: at the fastest
};

/// Finds at which speeds of the processors each upgrade is on the Pareto front. Between two speeds an answer holds
/// where that is proved: a makespan is a convex function of the time that computation takes, so it lies below the chord
/// and above the tangents. Where it is not, a speed between them is looked at, until two that answer differently, or
/// may, are no further apart than switchover_precision.
class FrontSearch {
public:
  explicit FrontSearch(std::vector<double> prices) : prices_(std::move(prices)) {}

  /// Takes what is known of a speed: the machine as it is, then with each upgrade.
  void take(double speed, const TimeAndSlope& before, std::vector<TimeAndSlope> upgrades);
  /// Returns the speeds to look at next; none when the front is known between all that were taken.
  std::vector<double> next() const;
  /// Returns whether an upgrade is on the front at a speed that was taken.
  bool on_front(std::size_t upgrade, double speed) const;
  /// Returns where it is not, by rising speed; empty: it is at all speeds of the range.
  std::vector<BeatenRange> beaten(std::size_t upgrade) const;

private:
  struct Looked {
    double speed = 1;
    TimeAndSlope before;
    std::vector<TimeAndSlope> upgrades;
    std::vector<bool> on;
  };
  bool holds(std::size_t upgrade, const Looked& slow, const Looked& fast) const;
  bool stays_on(std::size_t upgrade, const Looked& slow, const Looked& fast) const;
  bool stays_off(std::size_t upgrade, const Looked& slow, const Looked& fast) const;

  std::vector<double> prices_;
  std::vector<Looked> looked_; ///< by rising speed
};

} // namespace timeless::analysis
