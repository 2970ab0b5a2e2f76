#pragma once

#include "tools/platforms/judgement.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools::platforms {

/// Returns what is known against a platform file (schema timeless.platform/1, action check).
nlohmann::ordered_json to_json(const Judgement& judgement);
std::string to_text(const Judgement& judgement);

} // namespace timeless::tools::platforms
