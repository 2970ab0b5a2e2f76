#include "analysis/calibration/compute/bursts.h"

#include <algorithm>

namespace timeless::analysis {

bool BurstReader::next() {
  burst_ = {};
  for (;;) {
    while (position_ == block_.size()) {
      if (!stream_->next(block_)) return false;
      stream_->read_times(block_);
      position_ = 0;
      volume_ = 0;
    }
    const std::size_t here = position_++;
    const trace::Action& action = block_.dictionary()[block_.sequence()[here]];
    ++actions_;
    if (has_volume(action.kind)) {
      const std::uint64_t volume = block_.volumes()[volume_++];
      if (action.kind == trace::ActionKind::workers_sum) continue;
      // The calling thread waits for its workers: the burst is as long as the longest of them.
      burst_.kernel = action.kernel;
      burst_.volume = std::max(burst_.volume, volume);
      if (!block_.times().empty() && action.kind == trace::ActionKind::compute)
        burst_.nanoseconds = block_.times()[here].exit - block_.times()[here].entry;
      continue;
    }
    if (action.kind == trace::ActionKind::resolved) continue;
    action_ = &action;
    return true;
  }
}

} // namespace timeless::analysis
