// Scheduled collectives whose members have several steps on their way together: neighbourhoods, the roots of linear
// gathers, members of alltoalls. They post all receives, send everything, and complete all as a Waitall does.
#include "replay/engine/collectives/scheduled_collectives.h"
#include "replay/engine/core/messages.h"

#include <utility>

namespace timeless::replay {

bool ScheduledCollectives::advance_together(Progress& progress, Clock& clock, std::uint32_t stepper) {
  for (;; progress.begun = false) {
    if (!progress.begun && !begin_together(progress, clock, stepper)) return true;
    progress.begun = true;
    if (!receive_together(progress, stepper)) return false;
    for (const std::uint32_t handshake : progress.leaving)
      if (!may_go_on(progress, handshake)) return false;
    take_together(progress, clock, stepper);
    look(stepper);
  }
}

/// Begins the next steps. Returns false when there are no more.
bool ScheduledCollectives::begin_together(Progress& progress, Clock& clock, std::uint32_t stepper) {
  progress.together.clear();
  progress.received = 0;
  const std::uint32_t most = progress.schedule->plan().together;
  while (progress.together.size() < most && next_step(progress)) {
    progress.together.push_back(progress.step);
    ++progress.index;
  }
  if (progress.together.empty()) return false;
  if (core_.rendezvous_path) post_together(progress, clock);
  for (const MemberStep& step : progress.together)
    if (step.to != schedules::nobody) {
      progress.step = step;
      send_step(progress, clock, stepper);
    }
  return true;
}

/// Receives what the steps wait for. Returns false when a message has not come.
bool ScheduledCollectives::receive_together(Progress& progress, std::uint32_t stepper) {
  for (; progress.received < progress.together.size(); ++progress.received) {
    const MemberStep& step = progress.together[progress.received];
    if (step.from == schedules::nobody) continue;
    const ScheduleMessages::MemberPair way{progress.instance, step.from, progress.member};
    const std::size_t found = messages_.find(way);
    if (found == ScheduleMessages::nowhere) {
      progress.step = step;
      messages_.wait(way, stepper);
      return false;
    }
    progress.came.push_back(std::move(messages_[found]));
    messages_.remove(found);
    --collectives_.matching[progress.instance].in_flight;
  }
  return true;
}

/// Messages first, then what is sent: the order of equals.
void ScheduledCollectives::take_together(Progress& progress, Clock& clock, std::uint32_t stepper) {
  core_.arrivals.clear();
  for (const Message& message : progress.came)
    core_.arrivals.push_back(incoming(message, stepper));
  complete(clock, std::exchange(progress.leaving, {}));
  progress.came.clear();
  if (!core_.rendezvous_path) return;
  forget_posted(progress);
  progress.posted.base.reset();
}

} // namespace timeless::replay
