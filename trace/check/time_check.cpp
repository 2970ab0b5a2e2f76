#include "trace/check/time_check.h"

namespace timeless::trace::checking {

void TimeCheck::follow(const ActionBlock& block, std::uint64_t first_action) {
  const bool timed = !block.times().empty();
  const bool mixed = timed ? seen_untimed_ && !seen_timed_ : seen_timed_ && !seen_untimed_;
  (timed ? seen_timed_ : seen_untimed_) = true;
  if (mixed)
    findings_.add(Severity::incomplete, rank_, first_action,
                  timed ? "has times only from here on" : "has no times from here on");
  if (timed) look(block, first_action);
}

void TimeCheck::look(const ActionBlock& block, std::uint64_t first_action) {
  for (std::size_t position = 0; position < block.size(); ++position) {
    const Action& action = block.dictionary()[block.sequence()[position]];
    if (action.kind == ActionKind::thread) { // no call of either thread
      thread_ = action.peer;
      continue;
    }
    const ActionTimes times = block.times()[position];
    std::uint64_t& last_exit = last_exit_[thread_];
    if (times.entry < last_exit && !reported_) {
      reported_ = true;
      findings_.add(Severity::inconsistent, rank_, first_action + position,
                    "begins " + std::to_string(last_exit - times.entry) + " ns before the action before it has ended");
    }
    last_exit = times.exit;
  }
}

} // namespace timeless::trace::checking
