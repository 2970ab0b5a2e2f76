#pragma once

#include "analysis/calibration/network/network_fit.h"

#include <string>
#include <vector>

namespace timeless::analysis {

/// Returns what measurements leave open of a network, and what that means: sentences for people. `fit` is what they
/// gave, but for these.
std::vector<std::string> not_reached(const NetworkFit& fit, const ping::Raw& raw);

} // namespace timeless::analysis
