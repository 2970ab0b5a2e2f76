#pragma once

#include "analysis/trace/traffic.h"

#include <cstdint>
#include <vector>

namespace timeless::analysis {

/// The communication matrix of a run, with as many consecutive ranks put together as it takes to be small.
struct TrafficBlocks {
  /// What the ranks of one block send those of another; blocks that send nothing are not there.
  struct Cell {
    std::uint32_t source = 0;
    std::uint32_t destination = 0;
    TrafficFigures figures;
  };
  trace::Rank ranks_per_block = 1;
  std::uint32_t blocks = 0;
  std::vector<Cell> cells; ///< by source, then destination
};

/// Returns the matrix of a run of so many ranks in at most `most_blocks` blocks and `most_cells` cells. What leaves for
/// another world, or comes from one, is left out.
TrafficBlocks traffic_blocks(const Traffic& traffic, trace::Rank ranks, std::uint32_t most_blocks = 256,
                             std::size_t most_cells = 8192);

} // namespace timeless::analysis
