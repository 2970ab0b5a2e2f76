#pragma once

#include "tools/machines/platform_head.h"
#include "tools/platforms/catalogue.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace timeless::tools::platforms {

/// A platform file among others.
struct ListedPlatform {
  std::filesystem::path file;
  std::size_t hosts = 0;
  int cores = 0;     ///< of the first kind of hosts
  double speed = 0;  ///< likewise: flop/s of a core
  bool alike = true; ///< there is no other kind
  std::optional<BetweenNodes> between_nodes;
  Head head;
};

/// The platform files of a folder.
struct PlatformListing {
  std::filesystem::path folder;
  std::vector<ListedPlatform> platforms;
};

/// Loads the file in a process of its own. Throws Error(invalid_input) where SimGrid does not take it.
ListedPlatform list_platform(const std::filesystem::path& file);

/// Returns the platforms that come with Timeless; each is loaded in a process of its own. `progress` takes how many of
/// how many are done.
PlatformListing list_platforms(const std::function<void(std::size_t done, std::size_t total)>& progress);

} // namespace timeless::tools::platforms
