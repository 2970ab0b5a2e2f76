#pragma once

#include "tools/validating/validation.h"

#include "replay/network/measured_rates.h"

#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

/// Returns which kind of prediction rates from these instances make of a run by `volumes`, launched as `launched`, and
/// why it is that. `units_per_rank` are those of the run.
std::pair<PredictionKind, std::string> prediction_kind(const std::vector<replay::MeasuredInstance>& instances,
                                                       const trace::Run& volumes, const trace::Run& launched,
                                                       double units_per_rank);

} // namespace timeless::tools
