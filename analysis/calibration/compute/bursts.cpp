#include "analysis/calibration/compute/bursts.h"

#include <algorithm>

namespace timeless::analysis {

bool BurstReader::next() {
  burst_ = {};
  for (;;) {
    while (position_ == block_.size()) {
      if (!stream_->next(block_)) return false;
      position_ = 0;
      volume_ = 0;
    }
    const trace::Action& action = block_.dictionary()[block_.sequence()[position_++]];
    ++actions_;
    if (has_volume(action.kind)) {
      const std::uint64_t volume = block_.volumes()[volume_++];
      if (action.kind == trace::ActionKind::workers_sum) continue;
      // The calling thread waits for its workers: the burst is as long as the longest of them.
      burst_ = {.kernel = action.kernel, .volume = std::max(burst_.volume, volume)};
      continue;
    }
    if (action.kind == trace::ActionKind::resolved) continue;
    action_ = &action;
    return true;
  }
}

} // namespace timeless::analysis
