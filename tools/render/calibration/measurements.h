#pragma once

#include "analysis/calibration/network/network_fit.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// Measurements beside what was fitted to them.
struct MeasurementsAnswer {
  std::string file;
  analysis::NetworkFit fit;
};

nlohmann::ordered_json to_json(const MeasurementsAnswer& answer);
std::string to_text(const MeasurementsAnswer& answer);

} // namespace timeless::tools
