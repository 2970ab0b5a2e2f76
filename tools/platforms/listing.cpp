#include "tools/platforms/listing.h"

#include "tools/cli/locate.h"
#include "tools/machines/named_platforms.h"
#include "tools/platforms/catalogue.h"

#include "replay/simgrid/simgrid_platform.h"
#include "replay/simgrid/simgrid_process.h"

#include <nlohmann/json.hpp>

namespace timeless::tools::platforms {

ListedPlatform list_platform(const std::filesystem::path& file) {
  const std::string told = replay::run_simgrid(
      [&](const ChildReport&) {
        const replay::SimgridPlatform platform = replay::SimgridPlatform::load(file);
        const std::vector<HostKind> kinds = kinds_of(platform);
        const std::optional<BetweenNodes> found = between_nodes(platform);
        return nlohmann::json{platform.hosts().size(), kinds.front().cores,         kinds.front().speed,
                              kinds.size() == 1,       found ? found->latency : -1, found ? found->bandwidth : -1}
            .dump();
      },
      {Failure::invalid_input, "SimGrid dies of this file", file.string()});
  ListedPlatform one{.file = file, .between_nodes = {}, .head = head_of(file)};
  const nlohmann::json values = nlohmann::json::parse(told);
  one.hosts = values[0];
  one.cores = values[1];
  one.speed = values[2];
  one.alike = values[3];
  if (values[5] > 0) one.between_nodes = BetweenNodes{.latency = values[4], .bandwidth = values[5]};
  return one;
}

PlatformListing list_platforms(const std::function<void(std::size_t done, std::size_t total)>& progress) {
  PlatformListing listing{.folder = platforms_directory(), .platforms = {}};
  const std::vector<std::string> names = known_platforms();
  for (const std::string& name : names) {
    listing.platforms.push_back(list_platform(platform_file(name)));
    progress(listing.platforms.size(), names.size());
  }
  return listing;
}

} // namespace timeless::tools::platforms
