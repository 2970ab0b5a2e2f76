#pragma once

#include "tools/validating/validation.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// Returns an answer of schema timeless.validate/1.
nlohmann::ordered_json to_json(const Validation& validation);
std::string to_text(const Validation& validation);

} // namespace timeless::tools
