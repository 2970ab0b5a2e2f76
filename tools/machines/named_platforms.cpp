#include "tools/machines/named_platforms.h"

#include "tools/cli/locate.h"
#include "tools/cli/nearest.h"
#include "tools/machines/named_networks.h"

#include "base/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace timeless::tools {

std::vector<std::string> known_platforms() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(platforms_directory(), ignored))
    if (entry.path().extension() == ".xml") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

std::filesystem::path platform_file(const std::string& name) {
  std::error_code ignored;
  // A folder of that name nearby is no platform.
  if (std::filesystem::exists(name, ignored) && !std::filesystem::is_directory(name, ignored)) return name;
  if (name.find('/') == std::string::npos) {
    for (const std::string& file : {name + ".xml", name}) {
      std::filesystem::path candidate = platforms_directory() / file;
      if (std::filesystem::is_regular_file(candidate, ignored)) return candidate;
    }
  }
  const std::vector<std::string> networks = known_networks();
  if (std::ranges::find(networks, name) != networks.end())
    throw Error(Failure::invalid_input, "this is a network, no platform", name, "give --network " + name);
  throw Error(Failure::invalid_input, "there is no such platform file", name,
              fmt::format("{}name a file, or one of {} (in {})", did_you_mean(known_platforms(), name),
                          fmt::join(known_platforms(), ", "), platforms_directory().string()));
}

} // namespace timeless::tools
