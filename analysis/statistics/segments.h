#pragma once

#include "analysis/statistics/lines.h"

#include <cstddef>
#include <span>
#include <vector>

namespace timeless::analysis {

/// A line that holds for some of the points, one after the other.
struct LineSegment {
  double from = 0; ///< x of its first point
  double to = 0;   ///< x of its last
  std::size_t points = 0;
  Line line;
  double rms = 0; ///< root of the mean square of line(x) / y - 1 over its points
};

/// How a segmented line is fitted.
struct SegmentOptions {
  std::size_t most_segments = 16;
  std::size_t least_points = 6; ///< of a segment
  /// How far repetitions at one x spread: relative_spread(). A fit that comes below a third of it is good enough.
  double spread = 0;
};

/// A line in segments, fitted to points.
struct SegmentedLine {
  std::vector<LineSegment> segments; ///< by rising x
  double rms = 0;                    ///< over all points
  /// The rms that each number of segments reaches, from 1 on: how the number was chosen can be seen.
  std::vector<double> rms_by_segments;
};

/// Returns the segmented line that best fits points by relative residuals, for the number of segments at the elbow.
///
/// For each number of segments the best breaks are found exactly, by dynamic programming over the points (Bellman: On
/// the approximation of curves by line segments using dynamic programming, 1961): O(segments * points^2). Neighbouring
/// segments need not meet: protocols change from one message size to the next. Breaks lie between points, so where
/// exactly is a matter of where points are.
///
/// The number of segments: the first whose rms is below a third of `spread` (or below 1e-4), or that no larger number
/// betters by a tenth for each further segment. Information criteria do not serve: residuals of a network are
/// systematic, and BIC falls with every segment there is.
///
/// Throws Error(usage) with fewer points than a segment has, x that do not rise, or y not above 0.
SegmentedLine segmented_line(std::span<const Point> points, const SegmentOptions& options = {});

} // namespace timeless::analysis
