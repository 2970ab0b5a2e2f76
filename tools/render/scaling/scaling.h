#pragma once

#include "tools/scaling/scaling_request.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// Returns what `timeless scale` answers (schema timeless.scale/1): all kernels, calls and regions.
nlohmann::ordered_json to_json(const ScalingAnswer& answer);
/// Returns the kernels that bound the largest target first, each with its law and place; then what has no law, the
/// calls, regions and efficiencies.
std::string to_text(const ScalingAnswer& answer);
/// Returns a row for each kernel and target.
std::string to_csv(const ScalingAnswer& answer);
/// Returns the runs' figures in Extra-P's JSON lines, {"params": {"p": 8}, "callpath": .., "metric": .., "value": ..}:
/// means over the ranks, and under "<metric> (most)" those of the rank that has most.
std::string to_extra_p(const ScalingAnswer& answer);

} // namespace timeless::tools
