#pragma once

#include "trace/model/ids.h"

#include <cstddef>

namespace timeless::replay {

/// The ranks that one engine replays: begin <= rank < end.
struct RankRange {
  trace::Rank begin = 0;
  trace::Rank end = 0;

  std::size_t size() const { return static_cast<std::size_t>(end - begin); }
  bool holds(trace::Rank rank) const { return rank >= begin && rank < end; }
};

} // namespace timeless::replay
