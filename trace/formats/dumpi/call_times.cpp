#include "trace/formats/dumpi/call_times.h"

#include <algorithm>
#include <utility>

namespace timeless::trace::formats::dumpi {

std::optional<std::uint64_t> CallTimes::compute_until(std::uint64_t entry) {
  const std::uint64_t until = since_origin(entry);
  const std::uint64_t left_out = std::exchange(left_out_, 0);
  if (until <= last_exit_ + left_out) return std::nullopt;
  times_.push_back({last_exit_, until});
  return until - last_exit_ - left_out;
}

void CallTimes::add_action(std::uint64_t entry, std::uint64_t exit) {
  const std::uint64_t begin = since_origin(entry);
  times_.push_back({std::max(begin, last_exit_), std::max({since_origin(exit), begin, last_exit_})});
  // Of several actions that a call has become, the last one has its time.
  if (times_.size() > 1 && appended_) {
    ActionTimes& before = times_[times_.size() - 2];
    before.exit = before.entry;
  }
  appended_ = true;
}

void CallTimes::end_call(std::uint64_t exit) {
  last_exit_ = std::max(last_exit_, since_origin(exit));
}

} // namespace timeless::trace::formats::dumpi
