#include "replay/engine/collectives/scheduled_collectives.h"

#include "replay/engine/core/messages.h"

#include <utility>

namespace timeless::replay {

// ---- steps

ScheduledCollectives::Progress ScheduledCollectives::begin(RankState& rank, std::uint32_t number, std::uint32_t call) {
  const CollectiveCall& what = rank.program.calls[call];
  core_.depart(number, PathTracer::Kind::collective);
  const std::uint32_t instance = collectives_.matching.arrive(what, core_.world_rank(number), rank.action());
  if (core_.remote && collectives_.matching[instance].gathered) collectives_.hand_in(instance);
  return {.schedule = rank.program.schedules[call].get(),
          .communicator = what.communicator,
          .member = what.member,
          .instance = instance};
}

/// Sets progress.step to the step at progress.index. Returns false when there are no more.
bool ScheduledCollectives::next_step(Progress& progress) {
  return progress.schedule->step(progress.index, progress.cursor, progress.member,
                                 core_.communicators.members(progress.communicator), core_.network,
                                 core_.clocks.model.rows, core_.rendezvous_path, progress.step);
}

/// Notes the step in the rank's path, whether or not it had to wait. A nonblocking collective is part of the path only
/// once it is completed.
void ScheduledCollectives::look(std::uint32_t stepper) {
  if (!is_async(stepper)) core_.look(stepper);
}

bool ScheduledCollectives::advance(Progress& progress, Clock& clock, std::uint32_t stepper) {
  if (progress.schedule->plan().together > 1) return advance_together(progress, clock, stepper);
  for (;; progress.begun = false, ++progress.index) {
    if (!progress.begun) {
      if (!next_step(progress)) return !core_.rendezvous_path || end_all_sent(progress, clock);
      progress.begun = true;
      begin_step(progress, clock, stepper);
    }
    if (progress.step.from != schedules::nobody && !receive_step(progress, clock, stepper)) return false;
    if (progress.step.from == schedules::nobody && !end_step_sent(progress, clock)) return false;
    core_.clocks.reduce(clock, progress.step.reduced_bytes);
    look(stepper);
  }
}

void ScheduledCollectives::begin_step(Progress& progress, Clock& clock, std::uint32_t stepper) {
  const bool sends = progress.step.to != schedules::nobody;
  progress.handshake = no_handshake;
  if (sends && core_.library.sends_before_posting) send_step(progress, clock, stepper);
  if (core_.rendezvous_path && progress.step.from != schedules::nobody) progress.posted = core_.clocks.model.now(clock);
  if (sends && !core_.library.sends_before_posting) send_step(progress, clock, stepper);
}

/// Leaves like a message of the program.
void ScheduledCollectives::send_step(Progress& progress, Clock& clock, std::uint32_t stepper) {
  const MemberStep& step = progress.step;
  pay_for_send(core_, clock, step);
  Message message = set_off(core_, clock, step);
  if (core_.rendezvous_path) agree(progress, stepper, message);
  CollectiveInstance& instance = collectives_.matching[progress.instance];
  if (core_.remote) {
    const trace::Rank to = core_.communicators.members(progress.communicator)[step.to];
    if (!core_.local_ranks.holds(to))
      return core_.remote->step(core_.remote->process_of(to), {progress.communicator, instance.ordinal},
                                progress.member, step.to, message);
  }
  ++instance.in_flight;
  put({progress.instance, progress.member, step.to}, std::move(message));
}

void ScheduledCollectives::put(const ScheduleMessages::MemberPair& way, Message&& message) {
  if (message.handshake != no_handshake) match_posted(way, message);
  const std::uint32_t stepper = messages_.put(way, std::move(message));
  if (stepper != ScheduleMessages::nobody) wake(stepper);
}

void ScheduledCollectives::wake(std::uint32_t stepper) {
  if (is_async(stepper))
    ready_async_.push_back(async(stepper));
  else
    core_.wake(stepper);
}

Incoming ScheduledCollectives::incoming(const Message& message, std::uint32_t stepper) const {
  Incoming incoming = incoming_of(message);
  // What asynchronous collectives take has no order that the trace gives, so it cannot share the rank's port.
  incoming.port = !is_async(stepper);
  return incoming;
}

bool ScheduledCollectives::receive_step(Progress& progress, Clock& clock, std::uint32_t stepper) {
  const ScheduleMessages::MemberPair way{progress.instance, progress.step.from, progress.member};
  const std::size_t found = messages_.find(way);
  if (found == ScheduleMessages::nowhere) {
    messages_.wait(way, stepper);
    return false;
  }
  Message* const message = &messages_[found];
  if (message->handshake != no_handshake) rendezvous_.leave(*message, progress.posted);
  progress.posted.base.reset();
  if (progress.handshake == no_handshake) {
    core_.clocks.take(clock, incoming(*message, stepper));
  } else {
    if (!may_go_on(progress, progress.handshake)) return false;
    core_.arrivals.assign(1, incoming(*message, stepper));
    complete(clock, {&progress.handshake, 1});
  }
  --collectives_.matching[progress.instance].in_flight;
  messages_.remove(found);
  return true;
}

bool ScheduledCollectives::carry_out(RankState& rank, std::uint32_t number, std::uint32_t call) {
  if (progress_.size() < core_.ranks.size()) progress_.resize(core_.ranks.size());
  Progress& progress = progress_[number];
  if (rank.stage == 0) {
    progress = begin(rank, number, call);
    rank.stage = 1;
  }
  if (!advance(progress, core_.clocks[number], number)) return Core::wait(rank, Waiting::for_step, progress.instance);
  collectives_.matching.leave(progress.instance);
  return true;
}

// ---- asynchronous collectives

std::uint32_t ScheduledCollectives::free_async() {
  const std::uint32_t async = async_numbers_.take();
  if (async == async_collectives_.size()) {
    AsyncCollective& fresh = async_collectives_.emplace_back();
    const std::size_t lanes = core_.clocks.model.lanes();
    fresh.counters = std::make_unique<double[]>(core_.clocks.model.counters_per_rank() * lanes);
    fresh.row = core_.clocks.model.rows.own_row(fresh.counters.get() + lanes, fresh.counters.get() + 2 * lanes);
  }
  return async;
}

void ScheduledCollectives::start(RankState& rank, std::uint32_t number, const Operation& operation) {
  Request& request = rank.start(operation.request);
  const std::uint32_t async = free_async();
  AsyncCollective& one = async_collectives_[async];
  one.progress = begin(rank, number, operation.call);
  one.schedule = rank.program.schedules[operation.call];
  one.rank = number;
  one.ended = false;
  core_.clocks.begin_beside(one.clock, core_.clocks[number], one.counters.get());
  request = {0, async, RequestState::async};
  if (advance(one.progress, one.clock, async | ScheduleMessages::async_bit)) end_async(async);
}

void ScheduledCollectives::run_async() {
  while (!ready_async_.empty()) {
    const std::uint32_t async = ready_async_.back();
    ready_async_.pop_back();
    AsyncCollective& one = async_collectives_[async];
    if (advance(one.progress, one.clock, async | ScheduleMessages::async_bit)) end_async(async);
  }
}

void ScheduledCollectives::end_async(std::uint32_t async) {
  AsyncCollective& one = async_collectives_[async];
  one.begin = core_.clocks.begin_of(one.clock);
  one.clock.base.reset();
  one.ended = true;
  core_.wake_those(core_.rank_number(one.rank), Waiting::for_async_collective, async);
}

Incoming ScheduledCollectives::incoming(std::uint32_t async) const {
  const AsyncCollective& one = async_collectives_[async];
  return {.sent = {.base = one.begin.values()}, .row = one.row, .messages = 1, .bytes = 1};
}

void ScheduledCollectives::dismiss(std::uint32_t async) {
  AsyncCollective& one = async_collectives_[async];
  collectives_.matching.leave(one.progress.instance);
  one.begin.reset();
  one.schedule.reset();
  async_numbers_.give_back(async);
}

ScheduledCollectives::Position ScheduledCollectives::position(std::uint32_t number) const {
  const RankState& rank = core_.ranks[number];
  const Progress& progress =
      rank.waiting == Waiting::for_step ? progress_[number] : async_collectives_[rank.subject].progress;
  const bool sends = progress.awaited != no_handshake;
  return {progress.instance, sends ? rendezvous_[progress.awaited].receiver : progress.step.from};
}

} // namespace timeless::replay
