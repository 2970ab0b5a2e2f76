#pragma once

#include "tools/platforms/listing.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools::platforms {

/// Returns the platforms there are (schema timeless.platform/1, action list).
nlohmann::ordered_json to_json(const PlatformListing& listing);
std::string to_text(const PlatformListing& listing);

} // namespace timeless::tools::platforms
