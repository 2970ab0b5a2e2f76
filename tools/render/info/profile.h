#pragma once

#include "analysis/trace/profile.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// Returns what a run's kernels have counted of its profiled events.
nlohmann::ordered_json to_json(const analysis::Profile& profile, const trace::Run& run);
std::string to_text(const analysis::Profile& profile, const trace::Run& run);

} // namespace timeless::tools
