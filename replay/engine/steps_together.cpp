// Scheduled collectives whose members have several steps on their way together: neighbourhoods, the roots of linear
// gathers, members of alltoalls. They post all receives, send everything, and complete all as a Waitall does.
#include "replay/engine/engine.h"

#include <utility>

namespace timeless::replay {

bool Engine::advance_together(Progress& progress, Clocks::Clock& clock, std::uint32_t waiter) {
  for (;; progress.begun = false) {
    if (!progress.begun && !begin_together(progress, clock, waiter)) return true;
    progress.begun = true;
    if (!receive_together(progress, waiter)) return false;
    for (const std::uint32_t handshake : progress.leaving)
      if (!may_go_on(progress, handshake)) return false;
    take_together(progress, clock, waiter);
    if (tracer_ && (waiter & ScheduleMessages::agent_bit) == 0)
      tracer_->look(waiter, world_rank(waiter), action(ranks_[waiter]));
  }
}

/// False when there are no more steps.
bool Engine::begin_together(Progress& progress, Clocks::Clock& clock, std::uint32_t waiter) {
  progress.together.clear();
  progress.received = 0;
  const std::uint32_t most = progress.schedule->plan().together;
  while (progress.together.size() < most && progress.schedule->step(progress.index, progress.cursor, progress.member,
                                                                    communicators_.members(progress.communicator),
                                                                    network_, clocks_.rows(), care_, progress.step)) {
    progress.together.push_back(progress.step);
    ++progress.index;
  }
  if (progress.together.empty()) return false;
  if (care_) post_together(progress, clock);
  for (const MemberStep& step : progress.together)
    if (step.to != schedules::nobody) {
      progress.step = step;
      send_step(progress, clock, waiter);
    }
  return true;
}

/// False when a message has not come.
bool Engine::receive_together(Progress& progress, std::uint32_t waiter) {
  for (; progress.received < progress.together.size(); ++progress.received) {
    const MemberStep& step = progress.together[progress.received];
    if (step.from == schedules::nobody) continue;
    const ScheduleMessages::Way way{progress.instance, step.from, progress.member};
    const std::size_t found = schedule_messages_.find(way);
    if (found == ScheduleMessages::nowhere) {
      progress.step = step;
      schedule_messages_.wait(way, waiter);
      return false;
    }
    progress.came.push_back(std::move(schedule_messages_[found]));
    schedule_messages_.remove(found);
    --matching_[progress.instance].in_flight;
  }
  return true;
}

/// Messages first, then what is sent: the order of equals.
void Engine::take_together(Progress& progress, Clocks::Clock& clock, std::uint32_t waiter) {
  incoming_.clear();
  for (const Message& message : progress.came) {
    incoming_.push_back(incoming(message));
    // What agents take has no order that the trace gives, so it cannot share the rank's port.
    incoming_.back().port = (waiter & ScheduleMessages::agent_bit) == 0;
  }
  for (const std::uint32_t handshake : progress.leaving)
    if (const Handshake& sent = handshakes_[handshake]; sent.start)
      incoming_.push_back({.sent = {.base = sent.start.values()}, .row = sent.row, .bytes = sent.bytes});
  if (!progress.came.empty())
    clocks_.take_all(clock, incoming_);
  else if (!incoming_.empty())
    clocks_.depart(clock, incoming_);
  for (const std::uint32_t handshake : std::exchange(progress.leaving, {}))
    end_sent(clock, handshake);
  progress.came.clear();
  if (!care_) return;
  forget_posted(progress);
  progress.posted.base.reset();
}

} // namespace timeless::replay
