#pragma once

#include "analysis/statistics/quietness.h"

#include <vector>

namespace timeless::tools {

/// Returns the seconds that repetitions of a loop of fixed work took, about a millisecond each, on every processor at
/// once (at most 64): a list for each. Takes a quarter of a second.
std::vector<std::vector<double>> time_empty_loop();

/// Returns how quiet the noisiest of the processors is by that.
analysis::Quietness quietness_here();

} // namespace timeless::tools
