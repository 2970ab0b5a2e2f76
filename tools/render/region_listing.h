#pragma once

#include "analysis/regions.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace timeless::tools {

/// The regions of a run, for people and for programs: those that are entered, those
/// that compute most first.
std::string listing_text(const trace::Run& run, const std::vector<RegionFigures>& regions);
nlohmann::ordered_json listing_json(const trace::Run& run, const std::vector<RegionFigures>& regions);

} // namespace timeless::tools
