#pragma once

#include "tools/extrapolating/extrapolation_request.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

/// What `timeless extrapolate` has made (schema timeless.extrapolate/1).
namespace timeless::tools {

nlohmann::ordered_json to_json(const ExtrapolationAnswer& answer);
std::string to_text(const ExtrapolationAnswer& answer);

} // namespace timeless::tools
