#pragma once

#include "analysis/profile.h"

#include <nlohmann/json.hpp>

#include <string>

namespace timeless::tools {

/// What a run's kernels have counted of its profiled events, for people and for programs.
std::string profile_text(const trace::Run& run);
nlohmann::ordered_json profile_json(const trace::Run& run);

} // namespace timeless::tools
