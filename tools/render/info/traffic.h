#pragma once

#include "analysis/trace/traffic.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// Returns who sends whom how much: all pairs.
nlohmann::ordered_json to_json(const analysis::Traffic& traffic);
/// Returns the pairs that send most first.
std::string to_text(const analysis::Traffic& traffic);

} // namespace timeless::tools
