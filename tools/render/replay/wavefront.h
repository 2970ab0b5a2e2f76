#pragma once

#include "tools/replaying/wavefront_rows.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// Returns what `timeless model wavefront` answers (schema timeless.model/1).
nlohmann::ordered_json to_json(const WavefrontRows& answer);
std::string to_text(const WavefrontRows& answer);

} // namespace timeless::tools
