#pragma once

#include "analysis/trace/measured.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// Returns what was measured while the trace of a run was taken.
nlohmann::ordered_json to_json(const analysis::Measured& measured, const trace::Run& run);
std::string to_text(const analysis::Measured& measured, const trace::Run& run);

} // namespace timeless::tools
