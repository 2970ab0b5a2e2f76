#pragma once

#include "analysis/calibration/network/size_point.h"
#include "analysis/statistics/quantiles.h"

#include <cstddef>
#include <map>
#include <span>

namespace timeless::analysis {

/// What each launch took of the middle one: from the 10 % to the 90 % quantile over sizes. Of launches that do not
/// differ, nothing.
using LaunchFactors = std::map<std::size_t, Interval>;

/// Finds launches that differ by more than their measurements spread, and sets `launch_factor` of every point: what its
/// launch took, near the point's size, of the median over launches. Elsewhere factors stay 1.
///
/// Each launch's times are interpolated between its sizes (lines between logarithms); a point is compared with the
/// median over the launches that reach its size, and a launch's factor is the median over the 15 nearest of its points.
/// Launches differ where half of some launch's factors or more are off by more than 5 % and by three standard errors of
/// such medians.
LaunchFactors set_launch_factors(std::span<SizePoint> points);

} // namespace timeless::analysis
