// Ranks with several threads: each is replayed like a rank of its own, but for what it shares with the others.
#include "replay/engine/engine.h"
#include "replay/engine/trace_error.h"

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

/// What cannot be read matters to who comes to it.
bool names_threads_somewhere(const trace::Source& source, Rank rank) {
  try {
    const auto stream = source.open(rank);
    std::uint64_t known = 0; ///< a dictionary already looked at
    for (trace::ActionBlock block; stream->next(block);) {
      if (block.dictionary_mark() != 0 && block.dictionary_mark() == known) continue;
      known = block.dictionary_mark();
      if (std::ranges::any_of(block.dictionary(), names_threads, &trace::Action::kind)) return true;
    }
  } catch (const Error& error) {
    if (error.failure() != Failure::invalid_input) throw;
  }
  return false;
}

/// Begins what may be cancelled.
constexpr bool starts_message(Step step) {
  return step == Step::send || step == Step::post || step == Step::post_wildcard || step == Step::exchange;
}

} // namespace

// ---- blocks and threads

/// The block that is replayed, or begins, is the last before the rank is several, or the first.
void Engine::found_threads(std::uint32_t number) {
  if (options_.cores_per_rank > 0 && network_.lanes().size() > 1) throw NeedsOneLane();
  RankState& rank = ranks_[number];
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
    if (!shared->program.unmodelled.empty()) count_not_modelled(shared->program, shared->block, number);
  }
  rank.position = rank.size = 0;
  share_out(all, shared);
  if (stands) stand_again(number, position, volumes_left);
}

/// The rank, now the first of its threads, stands within a block, all of which is this thread's.
void Engine::stand_again(std::uint32_t number, std::uint32_t position, std::ptrdiff_t volumes_left) {
  RankState& rank = ranks_[number];
  RankThread& thread = *rank.thread;
  auto& parts = thread.all->division.parts(0);
  thread.part = std::move(parts.front());
  parts.pop_front();
  thread.done = position;
  thread.begun = true;
  if (rank.waiting == Waiting::for_message) thread.awaited = channels_[rank.subject].awaited;
  rank.operations = rank.program.operations.data();
  rank.sequence = thread.part.sequence.data();
  rank.volumes_end = thread.part.volumes.data() + thread.part.volumes.size();
  rank.volume = rank.volumes_end - volumes_left;
  rank.position = position;
  rank.size = static_cast<std::uint32_t>(thread.part.sequence.size());
}

/// Of the ranks that stand, those that have threads only in later blocks are several from here on. True when one goes
/// on.
bool Engine::look_for_threads() {
  // All that have not ended stand when it is asked for the first time.
  const bool looked = std::exchange(looked_, true);
  for (std::uint32_t number = 0; !looked && number < share_.size(); ++number) {
    if (ranks_[number].several || ranks_[number].finished) continue;
    if (names_threads_somewhere(source_, world_rank(number))) found_threads(number);
  }
  return read_further();
}

void Engine::share_out(RankThreads& all, const std::shared_ptr<SharedBlock>& shared) {
  const auto sequence = shared->block.sequence();
  const auto dictionary = shared->block.dictionary();
  if (*std::ranges::max_element(sequence) >= shared->program.operations.size())
    fail("a block's sequence goes beyond its dictionary");
  for (const std::uint32_t entry : sequence) {
    if (all.finalized) fail("an action after MPI_Finalize");
    all.finalized = dictionary[entry].kind == ActionKind::finalize;
    if (const unsigned unordered = all.messages.follow(dictionary[entry]).number(); unordered > 0)
      not_modelled_.add(Unmodelled::unordered_messages, all.rank, unordered);
  }
  all.division.divide(shared, all.actions, [&](std::uint64_t action) {
    const trace::RequestOutcome* const found = lookahead_.resolution(all.rank, action);
    return found == nullptr
               ? no_channel
               : compiler_.incoming_channel(found->communicator, found->peer, found->tag, world_rank(all.rank));
  });
  all.actions += sequence.size();
  all.ahead += sequence.size();
  while (all.players.size() < all.division.size())
    add_thread(all);
  for (std::uint32_t thread = 0; thread < all.players.size(); ++thread)
    if (!all.division.parts(thread).empty()) feed(all.players[thread]);
}

void Engine::add_thread(RankThreads& all) {
  const auto number = static_cast<std::uint32_t>(ranks_.size());
  RankState& rank = ranks_.emplace_back();
  rank.several = true;
  rank.thread = std::make_unique<RankThread>();
  rank.thread->all = &all;
  rank.thread->place = static_cast<std::uint32_t>(all.players.size());
  all.players.push_back(number);
  worklist_.make_room(ranks_.size());
  clocks_.add_beside(all.rank);
  one_sided_.make_room(ranks_.size());
  files_.make_room(ranks_.size());
  if (attributor_) attributor_->make_room(ranks_.size());
  if (observation_) observation_->make_room(ranks_.size(), clocks_[number].start);
  if (tracer_) tracer_->make_room(ranks_.size());
  worklist_.push(number);
}

/// Reads the rank's next block; false when there is none.
bool Engine::read_on(RankThreads& all) {
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
    compiler_.compile(block, world_rank(all.rank), program);
    program.mark = mark;
  }
  if (!program.unmodelled.empty()) count_not_modelled(program, block, all.rank);
  share_out(all, all.latest);
  return true;
}

/// A thread that has waited for actions of its own need not any more.
void Engine::feed(std::uint32_t number) {
  if (ranks_[number].waiting != Waiting::for_block) return;
  ranks_[number].waiting = Waiting::no;
  std::erase(hungry_, number);
  worklist_.push(number);
}

/// read_on() in nobody's turn.
bool Engine::read_on_by_itself(RankThreads& all) {
  try {
    return read_on(all);
  } catch (const Error& error) {
    if (error.failure() != Failure::invalid_input || !error.where().empty()) throw;
    throw Error(Failure::invalid_input, error.description(),
                fmt::format("rank {}, from action {} on", world_rank(all.rank), all.actions), error.advice());
  }
}

/// Nothing goes on: ranks are read further ahead of their threads than they usually are. True when one goes on.
bool Engine::read_further() {
  for (bool more = true; worklist_.empty() && more;) {
    more = false;
    std::uint64_t ahead = 0;
    for (const RankThreads& all : teams_)
      ahead += all.ahead;
    for (RankThreads& all : teams_)
      if (worklist_.empty() && ahead < most_ahead && read_on_by_itself(all)) more = true;
  }
  return !worklist_.empty();
}

/// The thread's actions in the next block that has some; false when it must wait for them, or has ended.
bool Engine::next_part(std::uint32_t number) {
  RankThreads& all = *ranks_[number].thread->all;
  std::deque<ThreadPart>* parts = nullptr;
  {
    RankState& rank = ranks_[number];
    note_last_computation(rank);
    actions_ += rank.size;
    all.ahead -= rank.size;
    rank.position = rank.size = 0;
    rank.thread->part = {};
    if (all.ahead < usual_ahead)
      for (const std::uint32_t player : all.players)
        feed(player);
  }
  const std::uint32_t place = ranks_[number].thread->place;
  for (;;) {
    parts = &all.division.parts(place);
    if (!parts->empty()) break;
    if (all.ended) {
      finish(ranks_[number]);
      return false;
    }
    if (all.ahead >= usual_ahead) {
      ranks_[number].waiting = Waiting::for_block;
      hungry_.push_back(number);
      return false;
    }
    read_on(all);
  }
  RankState& rank = ranks_[number];
  ThreadPart& part = rank.thread->part = std::move(parts->front());
  parts->pop_front();
  rank.thread->next_note = 0;
  const std::uint64_t mark = part.of->program.mark;
  const bool known = mark != 0 && mark == rank.program.mark;
  if (!known) rank.program = part.of->program;
  if (attributor_) attributor_->enter_block(number, part.of->block.dictionary(), part.sequence, known, rank.program);
  rank.sequence = part.sequence.data();
  rank.operations = rank.program.operations.data();
  rank.volume = part.volumes.data();
  rank.volumes_end = rank.volume + part.volumes.size();
  rank.size = static_cast<std::uint32_t>(part.sequence.size());
  return true;
}

// ---- turns

void Engine::run_thread(std::uint32_t number) {
  const std::uint32_t budget = remote_ ? std::min(options_.budget, 64U) : options_.budget;
  for (std::uint32_t left = std::max(budget, 1U); left > 0; left -= in_time() ? 0 : 1) {
    if (ranks_[number].position == ranks_[number].size && !next_part(number)) return;
    RankState& rank = ranks_[number];
    if (!run_thread_action(rank, number)) return;
    ++rank.position;
  }
  worklist_.push(number);
}

bool Engine::run_thread_action(RankState& rank, std::uint32_t number) {
  RankThread& thread = *rank.thread;
  const std::uint32_t entry = rank.sequence[rank.position];
  const Operation& operation = rank.operations[entry];
  ThreadNote* const note = thread.note(rank.position);
  if (attributor_) attributor_->turn_to(number, entry);
  if (!thread.begun && note && !meet_needs(rank, number, *note)) return false;
  const bool on_core = options_.cores_per_rank > 0 && needs_core(rank, operation);
  std::uint32_t core = 0;
  if (on_core && !may_compute(rank, number, core)) return false;
  if (observation_ && operation.step != Step::compute) expect(rank, number, operation);
  const std::uint64_t* const volume = rank.volume;
  const bool done = perform_in_thread(rank, number, operation);
  if (on_core) pass(rank, number, thread.all->cores[core] = {});
  if (!thread.begun) {
    thread.begun = true;
    if (note && note->passed && note->passed.use_count() > 1) pass(rank, number, *note->passed);
    if (observation_) observation_->note_sent(number, operation, channels_);
    tell_watchers(rank, number);
  }
  if (!done) return false;
  if (tracer_) tracer_->look(number, world_rank(number), action(rank));
  if (observation_) observe(rank, number, rank.position, rank.volume == volume ? 0 : *volume);
  rank.stage = 0;
  thread.begun = false;
  ++thread.done;
  if (note) ++thread.next_note;
  tell_watchers(rank, number);
  return true;
}

// ---- cores

TimedWorklist::Turn Engine::turn_of(std::uint32_t number) {
  const RankState& rank = ranks_[number];
  const double time = clocks_.shown(clocks_[number], 0);
  if (!rank.several) return {.time = time, .rank = number, .number = number};
  return {.time = time,
          .asked = rank.thread->asked,
          .rank = rank.thread->all->rank,
          .place = rank.thread->place,
          .number = number};
}

void Engine::sort_by_time() {
  while (!worklist_.empty())
    timed_.push(turn_of(worklist_.pop()));
}

std::uint32_t Engine::next_turn() {
  if (!in_time()) return worklist_.pop();
  sort_by_time();
  return timed_.pop();
}

bool Engine::needs_core(const RankState& rank, const Operation& operation) {
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

/// True when a core has been found, for whose sake the thread may have waited. False where others come first: whoever
/// waits goes on no earlier than those whose turn it is, so the thread that comes first of all is also the next to ask
/// for a core. A rank with one thread asks for none, and may be ahead of its turn.
bool Engine::may_compute(RankState& rank, std::uint32_t number, std::uint32_t& core) {
  if (rank.thread->asked == 0) rank.thread->asked = ++asked_;
  sort_by_time();
  const TimedWorklist::Turn own = turn_of(number);
  if (!timed_.empty() && own > timed_.first()) {
    worklist_.push(number);
    return false;
  }
  rank.thread->asked = 0;
  std::vector<Passed>& cores = rank.thread->all->cores;
  const auto free = [&](const Passed& one) { return clocks_.shown(one.moment, 0); };
  const auto earliest = std::ranges::min_element(cores, {}, free);
  core = static_cast<std::uint32_t>(earliest - cores.begin());
  if (earliest != cores.end() && free(*earliest) <= own.time) return true;
  if (cores.size() < options_.cores_per_rank) {
    core = static_cast<std::uint32_t>(cores.size());
    cores.emplace_back();
    return true;
  }
  cores_lacked_ = true;
  await(rank, number, *earliest);
  return true;
}

bool Engine::perform_in_thread(RankState& rank, std::uint32_t number, const Operation& operation) {
  if (operation.step == Step::compute) {
    if (rank.volume == rank.volumes_end) fail("a computation without a volume");
    clocks_[number].volume += static_cast<double>(*rank.volume++);
    return true;
  }
  // Other threads may stand waiting for messages of the channel: what is cancelled is never begun.
  if (!care_ && rank.stage == 0 && operation.request != trace::no_request && starts_message(operation.step)) {
    lookahead_.look_ahead(rank.thread->all->rank);
    if (cancelled_later(rank, number, operation)) return true;
  }
  return perform(rank, number, operation);
}

/// True when what the action needs of other threads has happened; otherwise the thread waits for one of them.
bool Engine::meet_needs(RankState& rank, std::uint32_t number, ThreadNote& note) {
  RankThreads& all = *rank.thread->all;
  for (const Need& need : note.needs) {
    const std::uint32_t player = all.players[need.thread];
    RankThread& other = *ranks_[player].thread;
    if (other.has_passed(need.actions, need.ended)) continue;
    other.watched = true;
    rank.waiting = Waiting::for_thread;
    rank.subject = player;
    return false;
  }
  for (const Need& need : note.needs) {
    if (need.request != trace::no_request)
      rank.requests[need.request] = std::exchange(ranks_[all.players[need.thread]].requests[need.request], {});
    if (need.since) await(rank, number, *need.since);
  }
  note.needs.clear();
  return true;
}

/// The thread's clock becomes at least what another's was.
void Engine::await(RankState& rank, std::uint32_t number, const Passed& since) {
  Clocks::Clock& clock = clocks_[number];
  std::vector<RankTimes>& beyond = rank.thread->beyond;
  const std::size_t lanes = since.counted.size();
  beyond.resize(lanes);
  std::vector<bool> later(lanes);
  for (std::size_t lane = 0; lane < lanes; ++lane)
    later[lane] = clocks_.shown(since.moment, lane) > clocks_.shown(clock, lane);
  clocks_.take(clock,
               {.sent = since.moment.time(), .row = nothing_row_.value(), .messages = 0, .bytes = 0, .constants = 0});
  for (std::size_t lane = 0; lane < lanes; ++lane)
    if (later[lane]) beyond[lane] = minus(since.counted[lane], clocks_.counted(clock, lane));
  if (attributor_) attributor_->take_over(number, since.parts, later);
}

/// Others may wait for what the thread has begun.
void Engine::pass(RankState& rank, std::uint32_t number, Passed& passed) {
  if (tracer_) tracer_->depart(number, world_rank(number), action(rank), PathTracer::Kind::message);
  if (!nothing_row_) {
    nothing_.assign(clocks_.lanes(), 0);
    nothing_row_ = clocks_.rows().own_row(nothing_.data(), nothing_.data());
  }
  passed.moment = clocks_.now(clocks_[number]);
  for (std::size_t lane = 0; lane < network_.lanes().size(); ++lane)
    passed.counted.push_back(counted(number, lane));
  if (attributor_) passed.parts = attributor_->counted(number, passed.counted.size());
}

void Engine::tell_watchers(RankState& rank, std::uint32_t number) {
  if (!std::exchange(rank.thread->watched, false)) return;
  for (const std::uint32_t player : rank.thread->all->players)
    if (ranks_[player].waiting == Waiting::for_thread && ranks_[player].subject == number) wake(player);
}

// ---- messages

/// Several threads may wait for messages of one channel; the lowest ticket among theirs is the channel's.
void Engine::await_message(RankState& rank, Channel& channel, std::uint64_t ticket) {
  rank.thread->awaited = ticket;
  channel.awaited = std::min(channel.awaited, ticket);
}

void Engine::wake_threads(std::uint32_t channel_number) {
  Channel& channel = channels_[channel_number];
  const std::uint64_t ticket = std::exchange(channel.awaited, Channel::nobody);
  for (const std::uint32_t player : ranks_[channel.destination].thread->all->players) {
    RankState& rank = ranks_[player];
    if (rank.waiting != Waiting::for_message || rank.subject != channel_number) continue;
    if (rank.thread->awaited > ticket) {
      channel.awaited = std::min(channel.awaited, rank.thread->awaited);
    } else {
      rank.waiting = Waiting::no;
      worklist_.push(player);
    }
  }
}

/// True when a thread stands in a receive of this channel, which has a ticket.
bool Engine::receives_now(const RankState& rank, std::uint32_t channel) {
  if (!rank.several || !rank.thread->begun) return false;
  const Operation& operation = rank.operations[rank.sequence[rank.position]];
  return operation.receive_channel == channel && operation.request == trace::no_request;
}

/// The tickets of a channel's receives have changed.
void Engine::look_again(std::uint32_t number, std::uint32_t channel) {
  channels_[channel].awaited = Channel::nobody;
  for_each_thread(rank_number(number), [&](std::uint32_t thread) {
    RankState& rank = ranks_[thread];
    if (rank.waiting != Waiting::for_message || rank.subject != channel) return;
    rank.waiting = Waiting::no;
    worklist_.push(thread);
  });
}

// ---- ends

/// What a thread has counted, and those it has waited for, up to its time.
RankTimes Engine::counted(std::uint32_t number, std::size_t lane) {
  RankTimes times = clocks_.counted(clocks_[number], lane);
  const RankState& rank = ranks_[number];
  if (!rank.thread || rank.thread->beyond.empty()) return times;
  for (double RankTimes::*const counter : rank_counters)
    times.*counter += rank.thread->beyond[lane].*counter;
  return times;
}

/// Of a rank's threads, the one whose settled clock ends last.
std::uint32_t Engine::last_thread(std::uint32_t number, std::size_t lane) const {
  if (!ranks_[number].several) return number;
  const auto end = [&](std::uint32_t player) { return clocks_.times(clocks_[player], lane).end; };
  return *std::ranges::max_element(ranks_[number].thread->all->players, {}, end);
}

} // namespace timeless::replay
