#pragma once

#include "replay/engine/clocks/rank_range.h"
#include "trace/loops/loops.h"
#include "trace/model/source.h"

#include <cstdint>
#include <vector>

namespace timeless::replay {

/// A loop that all ranks go through as often. Cut i, 0 <= i <= iterations, is before a rank's iteration i.
struct CutLoop {
  std::uint64_t iterations = 0;
  std::uint64_t recorded = 0; ///< iterations before some were taken as one
  std::uint64_t as_one = 1;   ///< of these
  /// By number. Those that go on for longer than `iterations` begin as early as they can.
  std::vector<trace::Loop> ranks;
  std::vector<std::uint64_t> changes; ///< iterations, rising, in which some volume of some rank changes

  std::uint64_t cut(std::size_t rank, std::uint64_t iteration) const {
    return ranks[rank].first + iteration * ranks[rank].actions;
  }
  /// Returns the number of actions of all ranks in an iteration.
  std::uint64_t actions() const;
  /// Makes ranks begin as late as they can; false where they do.
  bool begin_late();
};

/// Returns the loops of a run that all ranks share, in order: by the structure of the trace alone, so that whatever
/// depends on them does not depend on machines. Iterations are taken together until ranks do some dozen actions in
/// each, unless each is to be `apart`; where one rank's loop has m times as many iterations as another's, m of them are
/// one. Volumes are not looked at.
std::vector<CutLoop> plan_cuts(const trace::Source& source, RankRange ranks, bool apart);
/// Finds the loop's changes.
void find_changes(const trace::Source& source, RankRange ranks, CutLoop& loop);
/// Takes iterations as one: as many as those after which volumes come again, where they change in most iterations.
void take_periods_as_one(const trace::Source& source, RankRange ranks, CutLoop& loop);
/// Returns how many of a run's actions are of iterations whose volumes are those of the ones before.
std::uint64_t repeated_actions(const trace::Source& source);

} // namespace timeless::replay
