#pragma once

#include "replay/engine/clocks/rank_range.h"

#include <cstdint>

namespace timeless::replay {

/// What one of several processes had to do for a replay that they shared, in all replays if there were several.
struct ProcessWork {
  RankRange ranks = {};          ///< the ranks it replayed
  std::uint64_t actions = 0;     ///< of these
  std::uint64_t messages = 0;    ///< that it told others of: from its ranks to theirs, those within collectives, too
  std::uint64_t collectives = 0; ///< its parts of collectives, and results of collectives, that it told others
  std::uint64_t batches = 0;     ///< that it sent, whatever they held
  std::uint64_t bytes = 0;       ///< in those
  double seconds = 0;            ///< from beginning to end
  double waited = 0;             ///< seconds of these in which it had nothing to do
  double cpu_seconds = 0;        ///< with what looking for something to do took
};

} // namespace timeless::replay
