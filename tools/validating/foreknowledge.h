#pragma once

#include "tools/validating/validation.h"

#include "replay/network/measured_rates.h"

#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

/// Returns what rates from these instances knew of a run by `volumes`, launched as `launched`, and why it counts as
/// that. `units_per_rank` are those of the run.
std::pair<Foreknowledge, std::string> foreknowledge(const std::vector<replay::MeasuredInstance>& instances,
                                                    const trace::Run& volumes, const trace::Run& launched,
                                                    double units_per_rank);

} // namespace timeless::tools
