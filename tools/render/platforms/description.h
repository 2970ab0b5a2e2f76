#pragma once

#include "replay/simgrid/platform.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace timeless::tools::platforms {

/// A platform, and the ways between two of its hosts where that is asked for.
struct PlatformDescription {
  const replay::Platform& platform;
  std::optional<std::pair<std::size_t, std::size_t>> between;
};

/// Returns what a platform file describes (schema timeless.platform/1, action show).
nlohmann::ordered_json to_json(const PlatformDescription& description);
/// Draws on that.
std::string to_text(const PlatformDescription& description);

} // namespace timeless::tools::platforms
