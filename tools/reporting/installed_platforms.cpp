#include "tools/reporting/installed_platforms.h"

#include "tools/machines/named_platforms.h"

#include "base/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <map>
#include <string>

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
  std::map<std::string, std::vector<std::string>> left_out; // by reason
  for (const std::string& name : known_platforms()) {
    try {
      loaded_.push_back(platforms::list_platform(platform_file(name)));
    } catch (const Error& error) {
      left_out[error.description()].push_back(name);
    }
  }
  for (const auto& [reason, names] : left_out) {
    constexpr std::size_t few = 3;
    notes_.push_back(fmt::format("{} not on the map of classes: {}",
                                 names.size() <= few
                                     ? fmt::format("{} {}", fmt::join(names, ", "), names.size() == 1 ? "is" : "are")
                                     : fmt::format("{} platforms that come with Timeless are", names.size()),
                                 reason));
  }
}

} // namespace timeless::tools
