#pragma once

#include "replay/result/result.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace timeless::tools {

/// Returns what a replay left out: a list of {what, calls, ranks}, or a line each.
nlohmann::ordered_json to_json(const std::vector<replay::NotModelled>& left_out);
std::string to_text(const std::vector<replay::NotModelled>& left_out);

} // namespace timeless::tools
