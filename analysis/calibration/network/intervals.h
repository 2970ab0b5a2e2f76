#pragma once

#include "analysis/statistics/lines.h"
#include "analysis/statistics/quantiles.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

/// How far fitted numbers may be off: what parts of the measurements give, each by itself.
namespace timeless::analysis {

/// What the parts are. Figures differ more between launches than within one, so that intervals over repetitions are too
/// narrow: they are taken where there are fewer than three launches.
enum class Over : std::uint8_t { launches, repetitions };

/// Returns "launches" or "repetitions".
const char* name(Over over);

/// Where a fitted number lies by its parts; the number itself is always inside.
struct FitInterval {
  Interval range = {};
  Over over = Over::launches;
  std::size_t parts = 0; ///< that gave the number, each by itself

  /// Returns false where one part or none gave it: then nobody knows how far it is off.
  bool known() const { return parts > 1; }
};

/// A value that was measured in a launch.
struct LaunchValue {
  std::size_t launch = 0;
  double value = 0;
};

/// A measured value at a place, and its launch.
struct LaunchPoint {
  std::size_t launch = 0;
  Point point;
};

/// Lines through parts of points.
struct PartLines {
  std::vector<Line> lines = {};
  Over over = Over::launches;
  /// Of all points, where their line lies at the boundary, 0: the largest intercept and the largest slope that they
  /// allow. Parts that lie there, too, would make it certain.
  std::optional<Line> most_intercept = {};
  std::optional<Line> most_slope = {};
};

/// Returns robust_line() of each launch by itself where three or more have three points at least; else of up to five
/// parts of the points, each so-many-th of them as they come (of fewer than six points, of all but one), and of each of
/// two launches that have three points. `whole`: the line of all.
PartLines part_lines(std::span<const LaunchPoint> points, const Line& whole);

/// Returns median_interval() of what parts give, widened to hold the number itself.
FitInterval interval_of(double number, std::span<const double> of_parts, Over over);

/// Returns the intervals of a line's intercept and slope.
std::pair<FitInterval, FitInterval> intervals_of(const Line& line, const PartLines& parts);

/// Returns where the median of these values lies: over the medians of launches, or where fewer than three have values,
/// over the values, widened to hold the medians of both launches. Throws Error(usage) without values.
FitInterval interval_of_median(std::span<const LaunchValue> values);

} // namespace timeless::analysis
