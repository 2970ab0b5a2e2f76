#pragma once

#include "replay/result/result.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// Returns what a replay jumped over, and why not over more. `actions`: of the run.
nlohmann::ordered_json to_json(const replay::SteadyReport& report);
std::string to_text(const replay::SteadyReport& report, std::uint64_t actions);

} // namespace timeless::tools
