#pragma once

#include "analysis/calibration/network/intervals.h"
#include "analysis/calibration/network/launch_levels.h"
#include "analysis/calibration/network/size_point.h"
#include "analysis/statistics/lines.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace timeless::analysis {

/// One line of a curve.
struct CurvePiece {
  std::uint64_t up_to = 0; ///< the largest size that it holds for
  std::size_t points = 0;
  Line line = {};       ///< seconds, seconds per byte
  double rms = 0;       ///< root of the mean square of line / measured - 1
  PartLines parts = {}; ///< of launches one by one, or of parts of the points
  /// What another launch, or other repetitions, would give.
  FitInterval intercept = {};
  FitInterval slope = {};
};

/// What an experiment takes, by size: lines that need not meet.
struct Curve {
  std::vector<CurvePiece> pieces; ///< by rising size; empty where there were too few measurements
  std::uint64_t smallest = 0;     ///< size measured
  std::uint64_t largest = 0;
  std::size_t outliers = 0; ///< points that were left out
  double rms = 0;           ///< of all points but those
  double median_error = 0;  ///< the median of |line / measured - 1|
  LaunchFactors launches;   ///< of launches that differ

  explicit operator bool() const { return !pieces.empty(); }
  const CurvePiece& of(double bytes) const;
  double operator()(double bytes) const { return of(bytes).line(bytes); }
};

/// Fits a curve. Launches that differ are brought to the middle one (set_launch_factors()) first, which errors and
/// intervals do without. Points that differ from the median of as many smaller as larger neighbours by more than five
/// times what points usually do (their median absolute deviation, scaled to a normal distribution's sigma) are left
/// out. Then the breaks by segmented_line() over medians of neighbouring sizes, then each to the measured size, then
/// robust_line() of all points of a piece. `spread`: as SegmentOptions has it. `breaks`: sizes after which a piece must
/// end, rising. No pieces for fewer than six sizes.
Curve fit_curve(std::span<const SizePoint> points, double spread, std::span<const std::uint64_t> breaks = {});

/// Points of nearly one size, beside a curve.
struct MeasuredSizes {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::size_t points = 0;
  double measured = 0; ///< the median, seconds
  double fitted = 0;   ///< the median of the curve at these sizes
  double residual = 0; ///< the median of measured / fitted - 1
  double low = 0;      ///< its quartiles
  double high = 0;
};

/// Returns points by size, a class of them for each factor of four, and each side of a break within one.
std::vector<MeasuredSizes> classes_by_size(std::span<const SizePoint> points, const Curve& curve);

} // namespace timeless::analysis
