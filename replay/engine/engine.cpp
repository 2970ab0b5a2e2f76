#include "replay/engine/engine.h"

#include "replay/engine/core/messages.h"

#include <fmt/format.h>

#include <algorithm>

namespace timeless::replay {

namespace {

constexpr const char* check_advice = "the trace contradicts itself: 'timeless check' lists what is wrong with it";

/// Returns after how many actions the caller is told again: each costs time in every lane.
std::uint64_t actions_between_reports(std::size_t lanes) {
  constexpr std::uint64_t of_one_lane = 1U << 20U;
  constexpr std::uint64_t least = 1U << 12U;
  return std::max(of_one_lane / std::max<std::uint64_t>(lanes, 1), least);
}

/// Computes while the calling thread waits for its workers: a burst takes as long as the longest of them.
void compute_beside_workers(RankState& rank, Clock& clock, Step step, double factor) {
  if (rank.volume == rank.volumes_end) fail("a computation without a volume");
  const std::uint64_t volume = *rank.volume++;
  if (step == Step::compute_beside_workers || step == Step::compute_in_kernel) {
    clock.volume += factor * static_cast<double>(volume);
    rank.last_computation = volume;
  } else if (step == Step::workers) {
    if (volume > rank.last_computation) clock.volume += factor * static_cast<double>(volume - rank.last_computation);
    rank.last_computation = 0;
  }
}

bool exchange(Core& core, RankState& rank, std::uint32_t number, const Operation& operation) {
  const bool receives = operation.receive_channel != no_channel;
  Clock& clock = core.clocks[number];
  if (rank.stage == 0 && operation.channel != no_channel) send<Pace::usual>(core, rank, number, clock, operation);
  if (operation.request == trace::no_request) return !receives || receive<Pace::usual>(core, rank, clock, operation);
  if (receives)
    post(core, rank, operation);
  else
    rank.start(operation.request) = {.state = RequestState::done};
  return true;
}

bool probe(Core& core, RankState& rank, std::uint32_t number, const Operation& operation) {
  if (rank.stage == 0) {
    rank.ticket = core.channels.next_ticket(operation.receive_channel);
    rank.stage = 1;
  }
  if (!has_message(core, rank, operation.receive_channel, rank.ticket)) return false;
  const Message& found = message_of(core.channels[operation.receive_channel], rank.ticket);
  const std::uint32_t envelope = core.clocks.model.rows[found.row].envelope;
  core.clocks.take(core.clocks[number], {.sent = found.sent.time(), .row = envelope, .constants = 0});
  return true;
}

} // namespace

Engine::Engine(const trace::Source& source, const Network& network, const ReplayOptions& options, Remote* remote,
               bool rendezvous_path)
    : core_(source, network, options, remote, rendezvous_path),
      rendezvous_(core_,
                  [this](std::uint32_t stepper, std::uint32_t handshake) { scheduled_.step_left(stepper, handshake); }),
      collectives_(core_), scheduled_(core_, rendezvous_, collectives_), one_sided_(core_, collectives_, scheduled_),
      files_(core_, collectives_), steady_(core_, collectives_.matching, rendezvous_), teams_(core_),
      completions_(core_, rendezvous_, collectives_, scheduled_, files_),
      deliveries_(core_, rendezvous_, collectives_, scheduled_),
      outcome_(core_, rendezvous_, collectives_, scheduled_, teams_),
      fast_(core_.clocks.fast() && !core_.rendezvous_path && !core_.explanation.any()) {}

Result Engine::run() {
  const trace::Run& run = core_.source.run();
  const auto& progress = core_.options.progress;
  std::uint64_t total = 0;
  for (const trace::RankRecord& record : run.ranks)
    total += record.actions;
  const std::uint64_t between_reports = actions_between_reports(core_.network.lanes.size());
  std::uint64_t next_report = between_reports;
  const auto turns = static_cast<std::uint32_t>(std::max<std::uint64_t>(between_reports / core_.budget(), 1));
  if (progress) progress(0, total);
  while (run_ranks(turns) || steady_.pass() || give_up_strictest_lanes())
    if (progress && core_.actions >= next_report) {
      progress(core_.actions, total);
      next_report = core_.actions + between_reports;
    }
  if (steady_.jumped() && !core_.all_finished()) throw NoSteadyStates{};
  steady_.restore();
  const std::vector<Ending> endings{outcome_.ending()};
  const auto& deadlock = outcome_.last_deadlock();
  const std::string cut =
      require_ended(run, deadlock ? *deadlock : diagnose(run, core_.communicators, endings), endings);
  steady_.demand_iterations();
  if (progress) progress(core_.actions, total);
  Result all = outcome_.result();
  Findings found = outcome_.findings();
  if (!cut.empty()) found.notes.insert(cut);
  tell(run, found, all);
  steady_.tell(all);
  return all;
}

bool Engine::run_ranks(std::uint32_t times) {
  scheduled_.run_async();
  for (; times > 0 && teams_.someone_can_go_on(); --times) {
    const std::uint32_t number = teams_.next_rank();
    prefetch();
    try {
      run_rank(number);
      if (scheduled_.async_ready()) scheduled_.run_async();
    } catch (const ReplayProblem&) {
      throw;
    } catch (const Error& error) {
      if (error.failure() != Failure::invalid_input || !error.where().empty()) throw;
      throw Error(Failure::invalid_input, error.description(), core_.where(number), check_advice);
    }
  }
  if (!teams_.someone_can_go_on() && !core_.all_finished() && !steady_.any_parked()) teams_.look_for_threads();
  return teams_.someone_can_go_on();
}

/// Gives up the lanes that wait for most, as nothing goes on, until in those that are left a rank goes on. Returns
/// false when it does not come to that.
bool Engine::give_up_strictest_lanes() {
  if (!core_.rendezvous_path || core_.all_finished()) return false;
  const trace::Run& run = core_.source.run();
  const Diagnosis found = diagnose({run, core_.communicators, collectives_.matching}, outcome_.status());
  if (ends_with_recording(run, found)) return false;
  while (!can_go_on() && rendezvous_.any_left())
    give_up_strictest_lanes(found);
  return rendezvous_.any_left();
}

bool Engine::give_up_strictest_lanes(const Diagnosis& found) {
  if (!rendezvous_.give_up_strictest_lanes(found)) return false;
  scheduled_.wake_released();
  return true;
}

// ---- actions

bool Engine::perform(RankState& rank, std::uint32_t number, const Operation& operation) {
  Clock& clock = core_.clocks[number];
  switch (operation.step) {
  case Step::compute:
  case Step::finalize:
  case Step::nothing:
    return true;
  case Step::compute_in_kernel:
  case Step::compute_beside_workers:
  case Step::skip_volume:
  case Step::workers:
    compute_beside_workers(rank, clock, operation.step, operation.factor());
    return true;
  case Step::send:
    send<Pace::usual>(core_, rank, number, clock, operation);
    return true;
  case Step::receive:
    return receive<Pace::usual>(core_, rank, clock, operation);
  case Step::send_rendezvous:
    return rendezvous_.send(rank, number, operation);
  case Step::receive_rendezvous:
    if (rank.stage == 0) {
      rank.ticket = rendezvous_.post(number, operation.receive_channel);
      rank.stage = 1;
    }
    return receive<Pace::usual>(core_, rank, clock, operation);
  case Step::post_rendezvous:
    rendezvous_.start_receive(rank, number, operation);
    return true;
  case Step::exchange:
    return core_.rendezvous_path ? rendezvous_.exchange(rank, number, operation)
                                 : exchange(core_, rank, number, operation);
  case Step::probe:
    return probe(core_, rank, number, operation);
  case Step::post:
    post(core_, rank, operation);
    return true;
  case Step::post_wildcard:
    post_wildcard(rank, number, operation);
    return true;
  case Step::complete_one:
    return completions_.complete_one(rank, number, operation.request);
  case Step::complete:
    return completions_.complete_all(rank, number,
                                     {rank.program.requests.data() + operation.first_request, operation.requests});
  case Step::collective:
    return collectives_.enter(rank, number, rank.program.calls[operation.call]);
  default:
    return perform_less_frequent(rank, number, operation);
  }
}

/// Performs what is less frequent than messages, their completion, and collectives at once.
bool Engine::perform_less_frequent(RankState& rank, std::uint32_t number, const Operation& operation) {
  switch (operation.step) {
  case Step::cancel:
    completions_.cancel(rank, number, operation.request);
    return true;
  case Step::release:
    completions_.release(rank, operation.request);
    return true;
  case Step::resolve:
    // Its receive has known its source since it was posted. Where there is none, looking ahead refuses it.
    core_.lookahead.look_ahead(core_.rank_number(number));
    return true;
  case Step::start_nothing:
    rank.start(operation.request).state = RequestState::done;
    return true;
  case Step::start_instance:
    collectives_.start(rank, number, operation);
    return true;
  case Step::schedule:
    return scheduled_.carry_out(rank, number, operation.call);
  case Step::start_schedule:
    scheduled_.start(rank, number, operation);
    return true;
  case Step::one_sided:
    return one_sided_.perform(rank, number, operation);
  case Step::file:
    return files_.perform(rank, number, operation);
  case Step::invalid:
    fail(rank.program.problems[operation.call]);
  // What perform() does itself; named, so that the compiler tells of a step that nothing performs.
  case Step::compute:
  case Step::compute_in_kernel:
  case Step::compute_beside_workers:
  case Step::skip_volume:
  case Step::workers:
  case Step::send:
  case Step::receive:
  case Step::post:
  case Step::send_rendezvous:
  case Step::receive_rendezvous:
  case Step::post_rendezvous:
  case Step::post_wildcard:
  case Step::exchange:
  case Step::probe:
  case Step::complete:
  case Step::complete_one:
  case Step::collective:
  case Step::nothing:
  case Step::finalize:
    break;
  }
  fail("a step that nothing performs");
}

/// Has its place among the receives of the channel that its message came on, from now on.
void Engine::post_wildcard(RankState& rank, std::uint32_t number, const Operation& operation) {
  if (core_.rendezvous_path && rendezvous_.cancelled_later(rank, number, operation)) return;
  Request& request = rank.start(operation.request);
  const trace::RequestOutcome* found = core_.lookahead.resolution(core_.rank_number(number), rank.action());
  if (found == nullptr) {
    request = {.state = RequestState::unresolved};
    return;
  }
  const std::uint32_t channel =
      core_.compiler.incoming_channel(found->communicator, found->peer, found->tag, core_.world_rank(number));
  const std::uint64_t ticket = core_.rendezvous_path ? rendezvous_.post(number, channel) : core_.channels.post(channel);
  request = {ticket, channel, RequestState::receiving};
}

} // namespace timeless::replay
