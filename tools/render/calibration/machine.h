#pragma once

#include "analysis/calibration/machine/machine_fit.h"
#include "tools/calibrating/machine_raw.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// What calibrate machine found, and where it stands now.
struct MachineAnswer {
  const analysis::MachineFit& fit;
  const MachineRaw& raw;
  std::string raw_file; ///< the measurements
  std::string file;     ///< the machine
};

nlohmann::ordered_json to_json(const MachineAnswer& answer);
std::string to_text(const MachineAnswer& answer);

} // namespace timeless::tools
