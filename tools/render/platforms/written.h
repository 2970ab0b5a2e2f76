#pragma once

#include "tools/platforms/writing.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools::platforms {

/// Returns what was written (schema timeless.platform/1, actions upgrade and new).
nlohmann::ordered_json to_json(const WrittenPlatform& written);
std::string to_text(const WrittenPlatform& written);

} // namespace timeless::tools::platforms
