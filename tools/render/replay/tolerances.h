#pragma once

#include "tools/replaying/prediction.h"

#include <nlohmann/json.hpp>

#include <string>

namespace timeless::tools {

/// Returns how much costlier a configuration may become.
nlohmann::ordered_json to_json(const LaneTolerance& tolerance);
/// Returns a table for each configuration, below an empty line.
std::string tolerances_text(const Prediction& prediction);

} // namespace timeless::tools
