#pragma once

#include "tools/replaying/prediction.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>

namespace timeless::tools {

/// Returns how much costlier a configuration may become.
nlohmann::ordered_json to_json(const analysis::LaneTolerance& tolerance);
/// Returns how much less a cost has to be for so much of the time to be saved.
nlohmann::ordered_json gains_json(const analysis::LaneTolerance& gains);

/// The same question at one rate of computation, and which that is: "at 16.00 G/s"; empty: the one that is taken.
struct ToleranceAtRate {
  std::string rate;
  const analysis::LaneTolerance* tolerance = nullptr;
};

/// Returns a table of what a configuration may lose, below an empty line, with a row for each growth and rate.
std::string tolerance_text(const std::string& configuration, std::span<const ToleranceAtRate> tolerances);
/// Returns likewise what buys a gain, and where nothing does.
std::string gains_text(const std::string& configuration, std::span<const ToleranceAtRate> gains);
/// Returns a table for each configuration, below an empty line.
std::string tolerances_text(const Prediction& prediction);

} // namespace timeless::tools
