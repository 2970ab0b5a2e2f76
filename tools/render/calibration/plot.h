#pragma once

#include "analysis/calibration/network/curve.h"

#include <span>
#include <string>

namespace timeless::tools {

/// Draws points and the curve through them on a terminal: seconds over bytes, both logarithmic. `o` a point, `#`
/// several, `-` the curve where there is no point. Without points, the curve alone. Lines of at most 79 columns.
std::string plot(std::span<const analysis::SizePoint> points, const analysis::Curve& curve);

} // namespace timeless::tools
