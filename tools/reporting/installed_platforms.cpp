#include "tools/reporting/installed_platforms.h"

#include "tools/machines/named_platforms.h"

#include "base/error.h"

#include <fmt/format.h>

namespace timeless::tools {

const std::vector<platforms::ListedPlatform>& InstalledPlatforms::loaded() {
  load();
  return loaded_;
}

const std::vector<std::string>& InstalledPlatforms::notes() {
  load();
  return notes_;
}

void InstalledPlatforms::load() {
  if (known_) return;
  known_ = true;
  for (const std::string& name : known_platforms()) {
    try {
      loaded_.push_back(platforms::list_platform(platform_file(name)));
    } catch (const Error& error) {
      notes_.push_back(fmt::format("{} is not on the map of classes: {}", name, error.what()));
    }
  }
}

} // namespace timeless::tools
