#pragma once

#include "analysis/trace/regions.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace timeless::tools {

/// Returns the regions of a run, by RegionId: those that are entered, those that compute most first.
nlohmann::ordered_json to_json(const std::vector<analysis::RegionFigures>& regions, const trace::Run& run);
std::string to_text(const std::vector<analysis::RegionFigures>& regions, const trace::Run& run);

} // namespace timeless::tools
