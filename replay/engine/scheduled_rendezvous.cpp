// Messages within collectives that wait for their receives in some lanes. A step posts its receive when it begins (some
// plans post all at once), and what it sends at the same time is completed with it. A step that only sends ends with
// its message, or leaves that to the end of all steps: members of two groups send to each other's first one before they
// receive.
#include "replay/engine/engine.h"

#include <utility>

namespace timeless::replay {

/// Steps begin whose receives are all posted now.
void Engine::post_together(Progress& progress, Clocks::Clock& clock) {
  progress.posted = clocks_.now(clock);
  for (const MemberStep& step : progress.together) {
    if (step.from == schedules::nobody) continue;
    schedule_messages_.for_each({progress.instance, step.from, progress.member}, [&](Message& message) {
      if (message.handshake != no_handshake) leave(message, progress.posted);
    });
    posted_together_[{progress.instance, progress.member, step.from}] = progress.posted;
  }
}

/// They have all ended.
void Engine::forget_posted(const Progress& progress) {
  for (const MemberStep& step : progress.together)
    if (step.from != schedules::nobody) posted_together_.erase({progress.instance, progress.member, step.from});
}

/// The sender's side of a step's message, where it waits in some lane that is left.
void Engine::agree(Progress& progress, std::uint32_t waiter, Message& message) {
  const CostRow& row = clocks_.rows()[message.row];
  if (!row.held) return;
  const bool waits = row.keeps_sender && strictest_.holds(message.bytes);
  message.handshake = handshakes_.begin({.start = {},
                                         .row = row.departure,
                                         .bytes = message.bytes,
                                         .abandoned = !waits,
                                         .stepper = waiter,
                                         .receiver = progress.step.to});
  if (!waits) return;
  if (progress.step.sending == schedules::Sending::together)
    progress.leaving.push_back(message.handshake);
  else
    progress.handshake = message.handshake;
}

/// A message comes whose receive may be posted: its receiver stands waiting for it, and for none before it, or has
/// posted it together with others.
void Engine::meet_posted(const ScheduleMessages::Way& way, Message& message) {
  const auto posted = posted_together_.find({way.instance, way.to, way.from});
  if (posted != posted_together_.end()) return leave(message, posted->second);
  const std::uint32_t waiter = schedule_messages_.waiter(way);
  if (waiter == ScheduleMessages::nobody) return;
  const bool agent = (waiter & ScheduleMessages::agent_bit) != 0;
  leave(message, agent ? agents_[waiter & ~ScheduleMessages::agent_bit].progress.posted : progress_[waiter].posted);
}

bool Engine::may_go_on(Progress& progress, std::uint32_t handshake) {
  if (handshakes_[handshake].start || !held(handshakes_[handshake])) return true;
  progress.awaited = handshake;
  return false;
}

/// Completes both halves of a step.
void Engine::take_step(const Progress& progress, Clocks::Clock& clock, const Incoming& incoming) {
  incoming_.assign(1, incoming);
  const Handshake& sent = handshakes_[progress.handshake];
  // Where it has not left, the lanes that wait for it have been given up.
  if (sent.start) incoming_.push_back({.sent = {.base = sent.start.values()}, .row = sent.row, .bytes = sent.bytes});
  clocks_.take_all(clock, incoming_);
  end_sent(clock, progress.handshake);
}

/// Completes a step that only sends; false when its message has not left and is waited for.
bool Engine::end_send(Progress& progress, Clocks::Clock& clock) {
  if (progress.handshake == no_handshake) return true;
  return end_sends(progress, clock, {&progress.handshake, 1});
}

/// After the last step.
bool Engine::end_sends(Progress& progress, Clocks::Clock& clock) {
  if (!end_sends(progress, clock, progress.leaving)) return false;
  progress.leaving.clear();
  return true;
}

bool Engine::end_sends(Progress& progress, Clocks::Clock& clock, std::span<const std::uint32_t> leaving) {
  for (const std::uint32_t handshake : leaving)
    if (!may_go_on(progress, handshake)) return false;
  incoming_.clear();
  for (const std::uint32_t handshake : leaving)
    if (const Handshake& sent = handshakes_[handshake]; sent.start)
      incoming_.push_back({.sent = {.base = sent.start.values()}, .row = sent.row, .bytes = sent.bytes});
  if (!incoming_.empty()) clocks_.depart(clock, incoming_);
  for (const std::uint32_t handshake : leaving)
    end_sent(clock, handshake);
  return true;
}

/// A handshake is over, or need not be waited for any more.
void Engine::wake_stepper(std::uint32_t waiter, std::uint32_t handshake) {
  const bool agent = (waiter & ScheduleMessages::agent_bit) != 0;
  const std::uint32_t number = waiter & ~ScheduleMessages::agent_bit;
  Progress& progress = agent ? agents_[number].progress : progress_[number];
  if (progress.awaited != handshake) return;
  progress.awaited = no_handshake;
  if (agent)
    ready_agents_.push_back(number);
  else
    wake(number);
}

/// Lanes have been given up.
void Engine::wake_released_steppers() {
  const auto release = [this](std::uint32_t waiter, const Progress& progress) {
    if (progress.awaited != no_handshake && !held(handshakes_[progress.awaited]))
      wake_stepper(waiter, progress.awaited);
  };
  for (std::uint32_t number = 0; number < progress_.size(); ++number)
    release(number, progress_[number]);
  for (std::uint32_t number = 0; number < agents_.size(); ++number)
    release(number | ScheduleMessages::agent_bit, agents_[number].progress);
}

} // namespace timeless::replay
