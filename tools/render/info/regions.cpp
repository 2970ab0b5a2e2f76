#include "tools/render/info/regions.h"

#include "tools/cli/console.h"
#include "tools/render/figures.h"

#include <nlohmann/json.hpp>

namespace timeless::tools {

std::string to_text(const std::vector<analysis::RegionFigures>& regions, const trace::Run& run) {
  const std::vector<trace::RegionId> listed = analysis::entered_regions(regions);
  if (listed.empty()) return "no regions: the program enters none (timeless.h, or MPI_Pcontrol from level 2 on)\n";
  const bool computes = run.counter.unit != trace::VolumeUnit::none;
  std::vector<std::string> header{"region", "ranks", "visits", "MPI calls", "bytes sent"};
  if (computes)
    for (const char* column : {name(run.counter.unit), "per rank", "least", "most"})
      header.emplace_back(column);
  Table table(header);
  for (const trace::RegionId id : listed) {
    const analysis::RegionFigures& region = regions[id];
    std::vector<std::string> row{run.regions.at(id), std::to_string(region.ranks), std::to_string(region.visits),
                                 std::to_string(region.calls), region.bytes == 0 ? "-" : bytes_text(region.bytes)};
    if (computes)
      for (const double volume :
           {region.volume, region.volume_per_rank.mean, region.volume_per_rank.least, region.volume_per_rank.most})
        row.push_back(human_count(volume));
    table.add(row);
  }
  return table.text() + "a region's figures hold those of the regions within it\n";
}

nlohmann::ordered_json to_json(const std::vector<analysis::RegionFigures>& regions, const trace::Run& run) {
  auto json = nlohmann::ordered_json::array();
  for (const trace::RegionId id : analysis::entered_regions(regions)) {
    const analysis::RegionFigures& region = regions[id];
    json.push_back({{"name", run.regions.at(id)},
                    {"ranks", region.ranks},
                    {"visits", region.visits},
                    {"visits_per_rank", to_json(region.visits_per_rank)},
                    {"volume", region.volume},
                    {"volume_per_rank", to_json(region.volume_per_rank)},
                    {"calls", region.calls},
                    {"bytes", region.bytes}});
  }
  return json;
}

} // namespace timeless::tools
