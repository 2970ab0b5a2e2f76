#pragma once

#include "analysis/calibration/network/network_fit.h"
#include "tools/calibrating/network_text.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace timeless::tools {

/// What calibrate network found, and where it stands now.
struct NetworkAnswer {
  analysis::NetworkFit fit;
  std::string raw;                ///< the file of measurements
  std::vector<std::string> files; ///< written
  std::string cut = {};           ///< launches that the budget did not reach, a sentence; else nothing
  FileWords words = {};           ///< of the network file
};

nlohmann::ordered_json to_json(const NetworkAnswer& answer);
std::string to_text(const NetworkAnswer& answer);

} // namespace timeless::tools
