#pragma once

#include "tools/recording/capabilities.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// Returns what works on this machine (schema timeless.doctor/1).
nlohmann::ordered_json to_json(const Capabilities& capabilities);
std::string to_text(const Capabilities& capabilities);

} // namespace timeless::tools
