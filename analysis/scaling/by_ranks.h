#pragma once

#include "analysis/scaling/scaling.h"

namespace timeless::analysis {

/// Forecasts the volumes of kernels and of all of them, and the calls and bytes of calls, at the targets and the check
/// run, rank by rank, where their laws of the number of ranks alone are not sure. Takes what comes of it where that is
/// better: closer to the check run, or without one by the interval at the last target. Sets ScaledMetric::by_ranks,
/// what the metric is at the targets, and what is said of the check run. Does nothing where positions explain nothing,
/// or sizes are given.
void take_better_by_ranks(Scaling& scaling);

} // namespace timeless::analysis
