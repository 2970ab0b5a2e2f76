#include "replay/engine/engine.h"

#include <utility>

namespace timeless::replay {

namespace {

Overhead overhead_of(const MemberStep& step) {
  return step.sending == schedules::Sending::blocking ? Overhead::send : Overhead::nonblocking_send;
}

} // namespace

// ---- steps

Engine::Progress Engine::begin_schedule(RankState& rank, std::uint32_t number, std::uint32_t call) {
  const CollectiveCall& what = rank.program.calls[call];
  if (tracer_) tracer_->depart(number, world_rank(number), action(rank), PathTracer::Kind::collective);
  const std::uint32_t instance = matching_.arrive(what, world_rank(number), action(rank));
  if (remote_ && matching_[instance].gathered) hand_in(instance);
  Progress progress{.schedule = rank.program.schedules[call].get(),
                    .communicator = what.communicator,
                    .member = what.member,
                    .instance = instance,
                    .cursor = {},
                    .step = {},
                    .together = {},
                    .came = {},
                    .posted = {},
                    .leaving = {}};
  return progress;
}

bool Engine::advance(Progress& progress, Clocks::Clock& clock, std::uint32_t waiter) {
  if (progress.schedule->plan().together > 1) return advance_together(progress, clock, waiter);
  for (;; progress.begun = false, ++progress.index) {
    if (!progress.begun) {
      if (!progress.schedule->step(progress.index, progress.cursor, progress.member,
                                   communicators_.members(progress.communicator), network_, clocks_.rows(), care_,
                                   progress.step))
        return !care_ || end_sends(progress, clock);
      progress.begun = true;
      begin_step(progress, clock, waiter);
    }
    if (progress.step.from != schedules::nobody && !receive_step(progress, clock, waiter)) return false;
    if (progress.step.from == schedules::nobody && !end_send(progress, clock)) return false;
    clocks_.reduce(clock, progress.step.reduced_bytes);
    // At each step, whether or not the rank had to wait for it. An agent's way is its rank's only when that waits.
    if (tracer_ && (waiter & ScheduleMessages::agent_bit) == 0)
      tracer_->look(waiter, world_rank(waiter), action(ranks_[waiter]));
  }
}

void Engine::begin_step(Progress& progress, Clocks::Clock& clock, std::uint32_t waiter) {
  const bool sends = progress.step.to != schedules::nobody;
  progress.handshake = no_handshake;
  if (sends && library_.sends_before_posting) send_step(progress, clock, waiter);
  if (care_ && progress.step.from != schedules::nobody) progress.posted = clocks_.now(clock);
  if (sends && !library_.sends_before_posting) send_step(progress, clock, waiter);
}

/// Leaves like a message of the program.
void Engine::send_step(Progress& progress, Clocks::Clock& clock, std::uint32_t waiter) {
  const MemberStep& step = progress.step;
  clocks_.pay_for_send(clock, step.row, overhead_of(step), step.bytes, step.send_overhead);
  Message message{.sent = clocks_.set_off(clock, step.row, step.bytes),
                  .bytes = step.bytes,
                  .receive_overhead = step.receive_overhead,
                  .row = step.row};
  if (care_) agree(progress, waiter, message);
  if (remote_) {
    const trace::Rank to = communicators_.members(progress.communicator)[step.to];
    if (!share_.holds(to))
      return remote_->step(remote_->process_of(to), {progress.communicator, matching_[progress.instance].ordinal},
                           progress.member, step.to, message);
  }
  ++matching_[progress.instance].in_flight;
  put_step({progress.instance, progress.member, step.to}, std::move(message));
}

void Engine::put_step(const ScheduleMessages::Way& way, Message&& message) {
  if (message.handshake != no_handshake) meet_posted(way, message);
  const std::uint32_t waiter = schedule_messages_.put(way, std::move(message));
  if (waiter == ScheduleMessages::nobody) return;
  if ((waiter & ScheduleMessages::agent_bit) != 0)
    ready_agents_.push_back(waiter & ~ScheduleMessages::agent_bit);
  else
    wake(waiter);
}

bool Engine::receive_step(Progress& progress, Clocks::Clock& clock, std::uint32_t waiter) {
  const ScheduleMessages::Way way{progress.instance, progress.step.from, progress.member};
  const std::size_t found = schedule_messages_.find(way);
  if (found == ScheduleMessages::nowhere) {
    schedule_messages_.wait(way, waiter);
    return false;
  }
  Message* const message = &schedule_messages_[found];
  if (message->handshake != no_handshake) leave(*message, progress.posted);
  progress.posted.base.reset();
  if (progress.handshake != no_handshake && !may_go_on(progress, progress.handshake)) return false;
  // What agents take has no order that the trace gives, so it cannot share the rank's port.
  Incoming incoming = Engine::incoming(*message);
  incoming.port = (waiter & ScheduleMessages::agent_bit) == 0;
  if (progress.handshake == no_handshake)
    clocks_.take(clock, incoming);
  else
    take_step(progress, clock, incoming);
  --matching_[progress.instance].in_flight;
  schedule_messages_.remove(found);
  return true;
}

bool Engine::carry_out(RankState& rank, std::uint32_t number, const Operation& operation) {
  if (progress_.size() < ranks_.size()) progress_.resize(ranks_.size());
  Progress& progress = progress_[number];
  if (rank.stage == 0) {
    progress = begin_schedule(rank, number, operation.call);
    rank.stage = 1;
  }
  if (!advance(progress, clocks_[number], number)) {
    rank.waiting = Waiting::for_step;
    rank.subject = progress.instance;
    return false;
  }
  matching_.leave(progress.instance);
  return true;
}

// ---- agents

void Engine::start_agent(RankState& rank, std::uint32_t number, const Operation& operation) {
  Request& request = start(rank, operation.request);
  if (free_agents_.empty()) {
    free_agents_.push_back(static_cast<std::uint32_t>(agents_.size()));
    AsyncCollective& fresh = agents_.emplace_back();
    const std::size_t lanes = clocks_.lanes();
    fresh.counters = std::make_unique<double[]>(clocks_.counters_per_rank() * lanes);
    fresh.row = clocks_.rows().own_row(fresh.counters.get() + lanes, fresh.counters.get() + 2 * lanes);
  }
  const std::uint32_t agent = free_agents_.back();
  AsyncCollective& one = agents_[agent];
  one.progress = begin_schedule(rank, number, operation.call);
  free_agents_.pop_back();
  one.schedule = rank.program.schedules[operation.call];
  one.rank = number;
  one.ended = false;
  clocks_.begin_beside(one.clock, clocks_[number], one.counters.get());
  request = {0, agent, RequestState::agent};
  if (advance(one.progress, one.clock, agent | ScheduleMessages::agent_bit)) end_agent(agent);
}

void Engine::run_agents() {
  while (!ready_agents_.empty()) {
    const std::uint32_t agent = ready_agents_.back();
    ready_agents_.pop_back();
    AsyncCollective& one = agents_[agent];
    if (advance(one.progress, one.clock, agent | ScheduleMessages::agent_bit)) end_agent(agent);
  }
}

void Engine::end_agent(std::uint32_t agent) {
  AsyncCollective& one = agents_[agent];
  one.begin = clocks_.begin_of(one.clock);
  one.clock.base.reset();
  one.ended = true;
  for_each_thread(rank_number(one.rank), [&](std::uint32_t number) {
    if (ranks_[number].waiting == Waiting::for_agent && ranks_[number].subject == agent) wake(number);
  });
}

bool Engine::has_ended(RankState& rank, std::uint32_t agent) {
  if (agents_[agent].ended) return true;
  rank.waiting = Waiting::for_agent;
  rank.subject = agent;
  return false;
}

Incoming Engine::incoming(const AsyncCollective& agent) const {
  return {.sent = {.base = agent.begin.values()}, .row = agent.row, .messages = 1, .bytes = 1};
}

void Engine::dismiss(std::uint32_t agent) {
  AsyncCollective& one = agents_[agent];
  matching_.leave(one.progress.instance);
  one.begin.reset();
  one.schedule.reset();
  free_agents_.push_back(agent);
}

} // namespace timeless::replay
