#include "tools/render/region_listing.h"

#include "tools/cli/console.h"

#include <fmt/format.h>

#include <algorithm>

namespace timeless::tools {

namespace {

std::vector<trace::RegionId> in_order(const std::vector<RegionFigures>& regions) {
  std::vector<trace::RegionId> order;
  for (trace::RegionId region = 0; region < regions.size(); ++region)
    if (regions[region].visits > 0) order.push_back(region);
  std::ranges::stable_sort(order, std::greater{}, [&](trace::RegionId region) { return regions[region].volume; });
  return order;
}

nlohmann::ordered_json json_of(const Spread& spread) {
  return {{"least", spread.least}, {"mean", spread.mean}, {"most", spread.most}};
}

} // namespace

std::string listing_text(const trace::Run& run, const std::vector<RegionFigures>& regions) {
  const std::vector<trace::RegionId> listed = in_order(regions);
  if (listed.empty()) return "no regions: the program enters none (timeless.h, or MPI_Pcontrol from level 2 on)\n";
  const bool computes = run.counter.unit != trace::VolumeUnit::none;
  std::vector<std::string> header{"region", "ranks", "visits", "MPI calls", "bytes sent"};
  if (computes)
    for (const char* column : {name(run.counter.unit), "per rank", "least", "most"})
      header.emplace_back(column);
  Table table(header);
  for (const trace::RegionId id : listed) {
    const RegionFigures& region = regions[id];
    std::vector<std::string> row{run.regions.at(id), std::to_string(region.ranks), std::to_string(region.visits),
                                 std::to_string(region.calls),
                                 region.bytes == 0 ? "-" : human_bytes(static_cast<double>(region.bytes))};
    if (computes)
      for (const double volume :
           {region.volume, region.volume_per_rank.mean, region.volume_per_rank.least, region.volume_per_rank.most})
        row.push_back(human_count(volume));
    table.add(row);
  }
  return table.text() + "a region's figures hold those of the regions within it\n";
}

nlohmann::ordered_json listing_json(const trace::Run& run, const std::vector<RegionFigures>& regions) {
  auto json = nlohmann::ordered_json::array();
  for (const trace::RegionId id : in_order(regions)) {
    const RegionFigures& region = regions[id];
    json.push_back({{"name", run.regions.at(id)},
                    {"ranks", region.ranks},
                    {"visits", region.visits},
                    {"visits_per_rank", json_of(region.visits_per_rank)},
                    {"volume", region.volume},
                    {"volume_per_rank", json_of(region.volume_per_rank)},
                    {"calls", region.calls},
                    {"bytes", region.bytes}});
  }
  return json;
}

} // namespace timeless::tools
