#pragma once

#include "replay/engine/clocks/rank_range.h"
#include "trace/loops/loops.h"
#include "trace/loops/volumes_ahead.h"
#include "trace/model/source.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace timeless::replay {

/// A loop that all ranks go through as often. Cut i, 0 <= i <= iterations, is before a rank's iteration i.
struct CutLoop {
  std::uint64_t iterations = 0;
  std::uint64_t recorded = 0; ///< iterations before some were taken as one
  std::uint64_t as_one = 1;   ///< of these
  /// By number. Those that go on for longer than `iterations` begin as early as they can.
  std::vector<trace::Loop> ranks;
  std::vector<std::uint64_t> changes;        ///< iterations, rising, in which some volume of some rank changes
  std::vector<trace::VolumesDigest> volumes; ///< by iteration, of all ranks, where they are read ahead

  std::uint64_t cut(std::size_t rank, std::uint64_t iteration) const {
    return ranks[rank].first + iteration * ranks[rank].actions;
  }
  /// Returns the number of actions of all ranks in an iteration.
  std::uint64_t actions() const;
  /// Makes ranks begin as late as they can; false where they do.
  bool begin_late();
};

/// Returns how many actions loops have, of all ranks.
std::uint64_t all_actions(const std::vector<CutLoop>& loops);

/// Fewer are not worth stopping for: two or three are played before anything is proved.
inline constexpr std::uint64_t least_iterations = 8;

/// Returns the loops that all ranks share, in order, of those that each has.
std::vector<CutLoop> shared_loops(RankRange ranks, const std::function<std::vector<trace::Loop>(trace::Rank)>& loops,
                                  bool apart);
/// Returns the loops of a run that all ranks share, in order: by the structure of the trace alone, so that whatever
/// depends on them does not depend on machines. Iterations are taken together until ranks do some dozen actions in
/// each, unless each is to be `apart`; where one rank's loop has m times as many iterations as another's, m of them are
/// one. Volumes are not looked at.
std::vector<CutLoop> plan_cuts(const trace::Source& source, RankRange ranks, bool apart);
/// Finds the loop's changes.
void find_changes(const trace::Source& source, RankRange ranks, CutLoop& loop);
/// Takes iterations as one: as many as those after which volumes come again, where they change in most iterations.
void take_periods_as_one(const trace::Source& source, RankRange ranks, CutLoop& loop);

} // namespace timeless::replay
