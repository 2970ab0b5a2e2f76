#pragma once

#include "analysis/calibration/machine/machine_fit.h"
#include "tools/calibrating/machine_raw.h"

#include <string>

namespace timeless::tools {

/// Writes a file of the format timeless.machine/1 (docs/calibration.md). The same measurements give the same text.
std::string machine_text(const analysis::MachineFit& fit, const MachineRaw& raw);

} // namespace timeless::tools
