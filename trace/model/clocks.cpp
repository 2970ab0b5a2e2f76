#include "trace/model/clocks.h"

#include <algorithm>

namespace timeless::trace {

bool clocks_agree(const Run& run) {
  return std::ranges::none_of(run.ranks, [](const RankRecord& rank) {
    return std::ranges::find(rank.notes, own_clock_note) != rank.notes.end();
  });
}

} // namespace timeless::trace
