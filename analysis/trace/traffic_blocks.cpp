#include "analysis/trace/traffic_blocks.h"

#include <algorithm>
#include <map>
#include <utility>

namespace timeless::analysis {

namespace {

TrafficBlocks in_blocks_of(const Traffic& traffic, trace::Rank ranks, trace::Rank per_block) {
  TrafficBlocks found{.ranks_per_block = per_block,
                      .blocks = static_cast<std::uint32_t>((ranks + per_block - 1) / per_block),
                      .cells = {}};
  std::map<std::pair<std::uint32_t, std::uint32_t>, TrafficFigures> cells;
  for (const auto& [path, figures] : traffic) {
    if (path.source < 0 || path.source >= ranks || path.destination < 0 || path.destination >= ranks) continue;
    TrafficFigures& cell = cells[{static_cast<std::uint32_t>(path.source / per_block),
                                  static_cast<std::uint32_t>(path.destination / per_block)}];
    cell.messages += figures.messages;
    cell.bytes += figures.bytes;
  }
  for (const auto& [place, figures] : cells)
    found.cells.push_back({place.first, place.second, figures});
  return found;
}

} // namespace

TrafficBlocks traffic_blocks(const Traffic& traffic, trace::Rank ranks, std::uint32_t most_blocks,
                             std::size_t most_cells) {
  const auto most = static_cast<trace::Rank>(std::max<std::uint32_t>(most_blocks, 1));
  trace::Rank per_block = std::max<trace::Rank>((ranks + most - 1) / most, 1);
  TrafficBlocks found = in_blocks_of(traffic, ranks, per_block);
  while (found.cells.size() > most_cells && found.blocks > 1)
    found = in_blocks_of(traffic, ranks, per_block *= 2);
  return found;
}

} // namespace timeless::analysis
