#pragma once

#include "analysis/measured.h"

#include <nlohmann/json.hpp>

#include <string>

namespace timeless::tools {

/// What was measured while the trace was taken, for people and for programs.
std::string listing_text(const trace::Run& run, const Measured& measured);
nlohmann::ordered_json listing_json(const trace::Run& run, const Measured& measured);

/// Why a measured time cannot be compared with a prediction; empty when it can.
std::string why_incomparable(const trace::Run& run);

} // namespace timeless::tools
