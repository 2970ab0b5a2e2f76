#pragma once

#include "replay/engine/steady/cut_plan.h"
#include "trace/loops/volumes_ahead.h"

#include <cstdint>
#include <vector>

// Loops within the iterations of a loop whose volumes change too often for these to be jumped over.
namespace timeless::replay {

/// Returns whether the volumes of so many iterations change that loops within them are looked for.
bool changes_often(const CutLoop& loop);

/// Returns the loops that all ranks share within each iteration of one; nothing where they hold less than half of its
/// actions. Where a rank's loop begins counts from where the iteration begins.
std::vector<CutLoop> plan_inner_cuts(const trace::Source& source, RankRange ranks, const CutLoop& outer);

/// Returns an inner loop as it stands in that iteration of the outer one.
CutLoop inner_loop_at(const CutLoop& outer, std::uint64_t iteration, const CutLoop& inner);

/// Reads the volumes of inner loops, one loop after the other.
class InnerVolumes {
public:
  InnerVolumes(const trace::Source& source, RankRange ranks);

  /// Finds the loop's changes and digests.
  void find_changes(CutLoop& loop);

private:
  std::vector<trace::VolumesAhead> ranks_;
};

} // namespace timeless::replay
