// Messages within collectives that wait for their receives in some lanes. A step posts its receive when it begins (some
// plans post all at once), and what it sends at the same time is completed with it. A step that only sends ends with
// its message, or leaves that to the end of all steps: members of two groups send to each other's first one before they
// receive.
#include "replay/engine/collectives/scheduled_collectives.h"
#include "replay/engine/core/messages.h"

#include <utility>

namespace timeless::replay {

/// Steps begin whose receives are all posted now.
void ScheduledCollectives::post_together(Progress& progress, Clock& clock) {
  progress.posted = core_.clocks.model.now(clock);
  for (const MemberStep& step : progress.together) {
    if (step.from == schedules::nobody) continue;
    messages_.for_each({progress.instance, step.from, progress.member}, [&](Message& message) {
      if (message.handshake != no_handshake) rendezvous_.leave(message, progress.posted);
    });
    posted_together_[{progress.instance, progress.member, step.from}] = progress.posted;
  }
}

/// Forgets the postings of steps that have all ended.
void ScheduledCollectives::forget_posted(const Progress& progress) {
  for (const MemberStep& step : progress.together)
    if (step.from != schedules::nobody) posted_together_.erase({progress.instance, progress.member, step.from});
}

/// Begins the sender's side of a step's message, where it waits in some lane that is left.
void ScheduledCollectives::agree(Progress& progress, std::uint32_t stepper, Message& message) {
  if (!rendezvous_.agree(message, {.start = {}, .stepper = stepper, .receiver = progress.step.to})) return;
  if (progress.step.sending == schedules::Sending::together)
    progress.leaving.push_back(message.handshake);
  else
    progress.handshake = message.handshake;
}

/// Meets a message that comes with its receive, which may be posted: its receiver stands waiting for it, and for none
/// before it, or has posted it together with others.
void ScheduledCollectives::match_posted(const ScheduleMessages::MemberPair& way, Message& message) {
  const auto posted = posted_together_.find({way.instance, way.to, way.from});
  if (posted != posted_together_.end()) return rendezvous_.leave(message, posted->second);
  const std::uint32_t stepper = messages_.waiter(way);
  if (stepper != ScheduleMessages::nobody) rendezvous_.leave(message, progress(stepper).posted);
}

/// Returns true when what a step sent need not be waited for; otherwise the stepper stands there.
bool ScheduledCollectives::may_go_on(Progress& progress, std::uint32_t handshake) const {
  if (rendezvous_.over(handshake)) return true;
  progress.awaited = handshake;
  return false;
}

/// Completes a step that only sends; false when its message has not left and is waited for.
bool ScheduledCollectives::end_step_sent(Progress& progress, Clock& clock) {
  return progress.handshake == no_handshake || end_sends(progress, clock, {&progress.handshake, 1});
}

/// Ends all sends after the last step.
bool ScheduledCollectives::end_all_sent(Progress& progress, Clock& clock) {
  if (!end_sends(progress, clock, progress.leaving)) return false;
  progress.leaving.clear();
  return true;
}

bool ScheduledCollectives::end_sends(Progress& progress, Clock& clock, std::span<const std::uint32_t> leaving) {
  for (const std::uint32_t handshake : leaving)
    if (!may_go_on(progress, handshake)) return false;
  core_.arrivals.clear();
  complete(clock, leaving);
  return true;
}

void ScheduledCollectives::complete(Clock& clock, std::span<const std::uint32_t> leaving) {
  std::size_t departures = 0;
  for (const std::uint32_t handshake : leaving)
    departures += rendezvous_.add_departure(handshake);
  take_arrivals(core_, clock, departures);
  for (const std::uint32_t handshake : leaving)
    rendezvous_.end_sent(clock, handshake);
}

void ScheduledCollectives::step_left(std::uint32_t stepper, std::uint32_t handshake) {
  Progress& progress = this->progress(stepper);
  if (progress.awaited != handshake) return;
  progress.awaited = no_handshake;
  wake(stepper);
}

void ScheduledCollectives::wake_released() {
  const auto release = [this](std::uint32_t stepper) {
    const std::uint32_t awaited = progress(stepper).awaited;
    if (awaited != no_handshake && rendezvous_.over(awaited)) step_left(stepper, awaited);
  };
  for (std::uint32_t number = 0; number < progress_.size(); ++number)
    release(number);
  for (std::uint32_t number = 0; number < async_collectives_.size(); ++number)
    release(number | ScheduleMessages::async_bit);
}

} // namespace timeless::replay
