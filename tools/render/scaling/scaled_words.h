#pragma once

#include "analysis/scaling/scaling.h"

#include <string>

namespace timeless::tools {

/// Returns "256", with a size where the runs have several: "256 (n 1e+06)".
std::string place_name(const analysis::ScalePlace& place, const analysis::Scaling& scaling);

} // namespace timeless::tools
