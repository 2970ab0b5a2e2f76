#pragma once

#include "analysis/trace/summary.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace timeless::analysis {

/// What happens in one region, and in regions within it, over all ranks. A region entered twice at a time counts what
/// happens in it once.
struct RegionFigures {
  std::uint64_t ranks = 0; ///< that enter it
  std::uint64_t visits = 0;
  std::uint64_t calls = 0; ///< recorded calls of MPI
  std::uint64_t bytes = 0; ///< sent, or contributed to a collective, by those calls
  double volume = 0;       ///< computed, in the run's unit
  Spread visits_per_rank;  ///< of all ranks, also those that never enter it
  Spread volume_per_rank;
};

/// Returns the figures of every region, by RegionId. Reads the whole run once; `progress`, if given, is called now and
/// then with the actions read.
std::vector<RegionFigures> region_figures(const trace::Source& source,
                                          const std::function<void(std::uint64_t)>& progress = {});

/// Returns the regions that are entered, those that compute most first.
std::vector<trace::RegionId> entered_regions(const std::vector<RegionFigures>& regions);

} // namespace timeless::analysis
