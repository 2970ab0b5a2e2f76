#include "replay/engine/threads/thread_teams.h"

#include "replay/engine/clocks/readings.h"
#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace timeless::replay {

using trace::ActionKind;
using trace::Rank;

namespace {

// Actions of a rank that wait for their threads, beyond which a thread that has none left reads on only when nothing
// else goes on; and beyond which nobody does then, either.
constexpr std::uint64_t usual_ahead = std::uint64_t{1} << 16U;
constexpr std::uint64_t most_ahead = std::uint64_t{1} << 22U; // of all ranks

constexpr RankTimes minus(const RankTimes& left, const RankTimes& right) {
  RankTimes difference;
  for (double RankTimes::*const counter : rank_counters)
    difference.*counter = left.*counter - right.*counter;
  return difference;
}

/// Returns whether a rank names threads anywhere; what cannot be read fails where the replay comes to it.
bool names_threads_somewhere(const trace::Source& source, Rank rank) {
  try {
    const auto stream = source.open(rank);
    std::uint64_t known = 0; ///< a dictionary already looked at
    for (trace::ActionBlock block; stream->next(block);) {
      if (block.dictionary_mark() != 0 && block.dictionary_mark() == known) continue;
      known = block.dictionary_mark();
      if (std::ranges::any_of(block.dictionary(), trace::names_threads, &trace::Action::kind)) return true;
    }
  } catch (const Error& error) {
    if (error.failure() != Failure::invalid_input) throw;
  }
  return false;
}

} // namespace

// ---- blocks and threads

void ThreadTeams::make_threads(std::uint32_t number) {
  if (core_.options.cores_per_rank > 0 && core_.network.lanes.size() > 1) throw NeedsOneLane();
  RankState& rank = core_.ranks[number];
  const std::uint32_t position = rank.position;
  const auto volumes_left = rank.volumes_end - rank.volume;
  const auto shared = std::make_shared<SharedBlock>();
  shared->block = std::move(rank.block);
  shared->program = rank.program;
  RankThreads& all = teams_.emplace_back();
  all.rank = number;
  all.players = {number};
  all.stream = std::move(rank.stream);
  all.actions = rank.actions_before;
  all.latest = shared;
  rank.several = true;
  rank.thread = std::make_unique<RankThread>();
  rank.thread->all = &all;
  const bool stands = rank.waiting != Waiting::no;
  if (!stands) {
    rank.program = {};
    core_.count_not_modelled(shared->program, shared->block, number);
  }
  rank.position = rank.size = 0;
  share_out(all, shared);
  if (stands) stand_again(number, position, volumes_left);
}

/// Sets the rank, now the first of its threads, within a block, all of which is this thread's.
void ThreadTeams::stand_again(std::uint32_t number, std::uint32_t position, std::ptrdiff_t volumes_left) {
  RankState& rank = core_.ranks[number];
  RankThread& thread = *rank.thread;
  auto& parts = thread.all->division.parts(0);
  thread.part = std::move(parts.front());
  parts.pop_front();
  thread.done = position;
  thread.begun = true;
  if (rank.waiting == Waiting::for_message) thread.awaited = core_.channels[rank.subject].awaited;
  rank.replay(thread.part.sequence, thread.part.volumes);
  rank.volume = rank.volumes_end - volumes_left;
  rank.position = position;
}

bool ThreadTeams::look_for_threads() {
  // All that have not ended stand when it is asked for the first time.
  const bool looked = std::exchange(looked_, true);
  for (std::uint32_t number = 0; !looked && number < core_.local_ranks.size(); ++number) {
    if (core_.ranks[number].several || core_.ranks[number].finished) continue;
    if (names_threads_somewhere(core_.source, core_.world_rank(number))) make_threads(number);
  }
  return read_further();
}

void ThreadTeams::share_out(RankThreads& all, const std::shared_ptr<SharedBlock>& shared) {
  const auto sequence = shared->block.sequence();
  const auto dictionary = shared->block.dictionary();
  if (*std::ranges::max_element(sequence) >= shared->program.operations.size())
    fail("a block's sequence goes beyond its dictionary");
  for (const std::uint32_t entry : sequence) {
    if (all.finalized) fail("an action after MPI_Finalize");
    all.finalized = dictionary[entry].kind == ActionKind::finalize;
    if (const unsigned unordered = all.messages.follow(dictionary[entry]).number(); unordered > 0)
      core_.not_modelled.add(Unmodelled::unordered_messages, all.rank, unordered);
  }
  all.division.divide(shared, all.actions, [&](std::uint64_t action) {
    const trace::RequestOutcome* const found = core_.lookahead.resolution(all.rank, action);
    return found == nullptr ? no_channel
                            : core_.compiler.incoming_channel(found->communicator, found->peer, found->tag,
                                                              core_.world_rank(all.rank));
  });
  all.actions += sequence.size();
  all.ahead += sequence.size();
  while (all.players.size() < all.division.size())
    add_thread(all);
  for (std::uint32_t thread = 0; thread < all.players.size(); ++thread)
    if (!all.division.parts(thread).empty()) feed(all.players[thread]);
}

void ThreadTeams::add_thread(RankThreads& all) {
  const auto number = static_cast<std::uint32_t>(core_.ranks.size());
  RankState& rank = core_.ranks.emplace_back();
  rank.several = true;
  rank.thread = std::make_unique<RankThread>();
  rank.thread->all = &all;
  rank.thread->place = static_cast<std::uint32_t>(all.players.size());
  all.players.push_back(number);
  core_.worklist.make_room(core_.ranks.size());
  core_.clocks.add_beside(all.rank);
  core_.explanation.make_room(core_.ranks.size(), core_.clocks[number].start);
  core_.worklist.push(number);
}

/// Reads the rank's next block; false when there is none.
bool ThreadTeams::read_on(RankThreads& all) {
  if (all.ended) return false;
  if (all.latest.use_count() > 1) {
    const std::shared_ptr<SharedBlock> before = std::exchange(all.latest, std::make_shared<SharedBlock>());
    all.latest->program = before->program;
  }
  trace::ActionBlock& block = all.latest->block;
  do
    if (!all.stream->next(block)) {
      all.ended = true;
      for (const std::uint32_t player : all.players)
        feed(player);
      return false;
    }
  while (block.size() == 0);
  Program& program = all.latest->program;
  if (const std::uint64_t mark = block.dictionary_mark(); mark == 0 || mark != program.mark) {
    core_.compiler.compile(block, core_.world_rank(all.rank), program);
    program.mark = mark;
  }
  core_.count_not_modelled(program, block, all.rank);
  share_out(all, all.latest);
  return true;
}

/// Wakes a thread that has waited for actions of its own and now has some.
void ThreadTeams::feed(std::uint32_t number) {
  if (core_.ranks[number].waiting != Waiting::for_block) return;
  std::erase(hungry_, number);
  core_.wake(number);
}

/// Does as read_on() while no rank is run.
bool ThreadTeams::read_on_by_itself(RankThreads& all) {
  try {
    return read_on(all);
  } catch (const Error& error) {
    if (error.failure() != Failure::invalid_input || !error.where().empty()) throw;
    throw Error(Failure::invalid_input, error.description(),
                fmt::format("rank {}, from action {} on", core_.world_rank(all.rank), all.actions), error.advice());
  }
}

/// Reads ranks further ahead of their threads than usual, as nothing goes on. Returns true when one goes on.
bool ThreadTeams::read_further() {
  for (bool more = true; core_.worklist.empty() && more;) {
    more = false;
    std::uint64_t ahead = 0;
    for (const RankThreads& all : teams_)
      ahead += all.ahead;
    for (RankThreads& all : teams_)
      if (core_.worklist.empty() && ahead < most_ahead && read_on_by_itself(all)) more = true;
  }
  return !core_.worklist.empty();
}

/// Ends the thread's part of a block.
void ThreadTeams::end_part(RankState& rank) {
  RankThreads& all = *rank.thread->all;
  rank.note_last_computation();
  core_.actions += rank.size;
  all.ahead -= rank.size;
  rank.position = rank.size = 0;
  rank.thread->part = {};
  if (all.ahead < usual_ahead)
    for (const std::uint32_t player : all.players)
      feed(player);
}

void ThreadTeams::take_part(RankState& rank, std::uint32_t number, ThreadPart taken) {
  ThreadPart& part = rank.thread->part = std::move(taken);
  rank.thread->next_note = 0;
  const std::uint64_t mark = part.of->program.mark;
  const bool known = mark != 0 && mark == rank.program.mark;
  if (!known) rank.program = part.of->program;
  if (auto& attributor = core_.explanation.attributor) {
    attributor->enter_block(number, part.of->block.dictionary(), known, rank.program);
    attributor->count_to(number, part.sequence, part.sequence.size());
  }
  rank.replay(part.sequence, part.volumes);
}

bool ThreadTeams::next_part(std::uint32_t number) {
  RankThreads& all = *core_.ranks[number].thread->all;
  end_part(core_.ranks[number]);
  const std::uint32_t place = core_.ranks[number].thread->place;
  // Reading on may find further threads, which moves the ranks' states.
  while (all.division.parts(place).empty()) {
    if (all.ended) {
      core_.finish(core_.ranks[number]);
      return false;
    }
    if (all.ahead >= usual_ahead) {
      hungry_.push_back(number);
      return Core::wait(core_.ranks[number], Waiting::for_block, 0);
    }
    read_on(all);
  }
  auto& parts = all.division.parts(place);
  ThreadPart part = std::move(parts.front());
  parts.pop_front();
  take_part(core_.ranks[number], number, std::move(part));
  return true;
}

// ---- cores

TimedWorklist::Entry ThreadTeams::entry_of(std::uint32_t number) {
  const RankState& rank = core_.ranks[number];
  const double time = shown(core_.clocks.model, core_.clocks[number], 0);
  if (!rank.several) return {.time = time, .rank = number, .number = number};
  return {.time = time,
          .asked = rank.thread->asked,
          .rank = rank.thread->all->rank,
          .place = rank.thread->place,
          .number = number};
}

void ThreadTeams::sort_by_time() {
  while (!core_.worklist.empty())
    timed_.push(entry_of(core_.worklist.pop()));
}

std::uint32_t ThreadTeams::next_rank() {
  if (!in_time()) return core_.worklist.pop();
  sort_by_time();
  return timed_.pop();
}

namespace {

bool needs_core(const RankState& rank, const Operation& operation) {
  switch (operation.step) {
  case Step::compute:
  case Step::compute_in_kernel:
  case Step::compute_beside_workers:
    return rank.volume != rank.volumes_end && *rank.volume > 0;
  case Step::workers:
    return rank.volume != rank.volumes_end && *rank.volume > rank.last_computation;
  default:
    return false;
  }
}

} // namespace

/// A thread that waits goes on no earlier than those that can go on, so the thread that comes first of all is also the
/// next to ask for a core. A rank with one thread asks for none, and may have been run ahead of the others.
std::optional<std::uint32_t> ThreadTeams::core_for(RankState& rank, std::uint32_t number, const Operation& operation) {
  if (core_.options.cores_per_rank == 0 || !needs_core(rank, operation)) return own_time;
  if (rank.thread->asked == 0) rank.thread->asked = ++asked_;
  sort_by_time();
  const TimedWorklist::Entry own = entry_of(number);
  if (!timed_.empty() && own > timed_.first()) {
    core_.worklist.push(number);
    return std::nullopt;
  }
  rank.thread->asked = 0;
  std::vector<ThreadTime>& cores = rank.thread->all->cores;
  const auto free = [&](const ThreadTime& one) { return shown(core_.clocks.model, one.moment, 0); };
  const auto earliest = std::ranges::min_element(cores, {}, free);
  const auto core = static_cast<std::uint32_t>(earliest - cores.begin());
  if (earliest != cores.end() && free(*earliest) <= own.time) return core;
  if (cores.size() < core_.options.cores_per_rank) {
    cores.emplace_back();
    return static_cast<std::uint32_t>(cores.size() - 1);
  }
  cores_lacked_ = true;
  await(rank, number, *earliest);
  return core;
}

void ThreadTeams::free_core(RankState& rank, std::uint32_t number, std::uint32_t core) {
  if (core != own_time) store_time(number, rank.thread->all->cores[core] = {});
}

// ---- threads that wait for each other

bool ThreadTeams::await_dependences(RankState& rank, std::uint32_t number, ThreadNote& note) {
  RankThreads& all = *rank.thread->all;
  for (const Dependence& dependence : note.dependences) {
    const std::uint32_t player = all.players[dependence.on.thread];
    RankThread& other = *core_.ranks[player].thread;
    if (other.has_reached(dependence.on.actions, dependence.on.ended)) continue;
    other.watched = true;
    return Core::wait(rank, Waiting::for_thread, player);
  }
  for (const auto& [on, request] : note.dependences) {
    if (request != trace::no_request)
      rank.requests[request] = std::exchange(core_.ranks[all.players[on.thread]].requests[request], {});
    if (on.since) await(rank, number, *on.since);
  }
  note.dependences.clear();
  return true;
}

/// Sets the thread's clock to what another's was, if that is later.
void ThreadTeams::await(RankState& rank, std::uint32_t number, const ThreadTime& since) {
  Clock& clock = core_.clocks[number];
  std::vector<RankTimes>& beyond = rank.thread->beyond;
  const std::size_t lanes = since.counted.size();
  beyond.resize(lanes);
  std::vector<bool> later(lanes);
  for (std::size_t lane = 0; lane < lanes; ++lane)
    later[lane] = shown(core_.clocks.model, since.moment, lane) > shown(core_.clocks.model, clock, lane);
  core_.clocks.take(clock,
                    {.sent = since.moment.time(), .row = nothing_row(), .messages = 0, .bytes = 0, .constants = 0});
  for (std::size_t lane = 0; lane < lanes; ++lane)
    if (later[lane]) beyond[lane] = minus(since.counted[lane], replay::counted(core_.clocks.model, clock, lane));
  if (auto& attributor = core_.explanation.attributor) attributor->take_over(number, since.parts, later);
}

std::uint32_t ThreadTeams::nothing_row() {
  if (!nothing_row_) {
    nothing_.assign(core_.clocks.model.lanes(), 0);
    nothing_row_ = core_.clocks.model.rows.own_row(nothing_.data(), nothing_.data());
  }
  return *nothing_row_;
}

/// Others may take the thread's present time.
void ThreadTeams::store_time(std::uint32_t number, ThreadTime& time) {
  core_.depart(number, PathTracer::Kind::message);
  time.moment = core_.clocks.model.now(core_.clocks[number]);
  for (std::size_t lane = 0; lane < core_.network.lanes.size(); ++lane)
    time.counted.push_back(counted(number, lane));
  if (auto& attributor = core_.explanation.attributor) time.parts = attributor->counted(number, time.counted.size());
}

void ThreadTeams::begun(RankState& rank, std::uint32_t number, ThreadNote* note) {
  if (std::exchange(rank.thread->begun, true)) return;
  if (note && note->begun_at && note->begun_at.use_count() > 1) store_time(number, *note->begun_at);
  tell_watchers(rank, number);
}

void ThreadTeams::ended(RankState& rank, std::uint32_t number, ThreadNote* note) {
  RankThread& thread = *rank.thread;
  thread.begun = false;
  ++thread.done;
  if (note) ++thread.next_note;
  tell_watchers(rank, number);
}

void ThreadTeams::tell_watchers(RankState& rank, std::uint32_t number) {
  if (!std::exchange(rank.thread->watched, false)) return;
  for (const std::uint32_t player : rank.thread->all->players)
    if (core_.ranks[player].waiting == Waiting::for_thread && core_.ranks[player].subject == number) core_.wake(player);
}

// ---- ends

RankTimes ThreadTeams::counted(std::uint32_t number, std::size_t lane) {
  RankTimes times = replay::counted(core_.clocks.model, core_.clocks[number], lane);
  const RankState& rank = core_.ranks[number];
  if (!rank.thread || rank.thread->beyond.empty()) return times;
  for (double RankTimes::*const counter : rank_counters)
    times.*counter += rank.thread->beyond[lane].*counter;
  return times;
}

std::uint32_t ThreadTeams::last_thread(std::uint32_t number, std::size_t lane) const {
  if (!core_.ranks[number].several) return number;
  const auto end = [&](std::uint32_t player) { return times(core_.clocks.model, core_.clocks[player], lane).end; };
  return *std::ranges::max_element(core_.ranks[number].thread->all->players, {}, end);
}

} // namespace timeless::replay
