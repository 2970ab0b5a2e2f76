#pragma once

#include "replay/engine/core/rank_threads.h"
#include "replay/engine/matching/requests.h"
#include "replay/engine/program/program.h"
#include "trace/model/source.h"
#include "trace/model/thread_order.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace timeless::replay {

/// What a rank that cannot go on waits for.
enum class Waiting : std::uint8_t {
  no,
  for_message,
  for_posting,
  for_instance,
  for_step,
  for_async_collective,
  for_thread, ///< another of the rank, number `subject`
  for_block,  ///< for actions of its own: see ThreadTeams
};

inline constexpr std::uint64_t no_cut = ~std::uint64_t{0};

/// A rank with several threads.
struct RankThreads {
  std::uint32_t rank = 0;
  std::vector<std::uint32_t> players; ///< its threads' numbers
  std::unique_ptr<trace::RankStream> stream;
  std::shared_ptr<SharedBlock> latest;
  ThreadDivision division;
  trace::UnorderedMessages messages;
  std::uint64_t actions = 0; ///< that have been divided
  std::uint64_t ahead = 0;   ///< of these, in parts that are not done
  bool ended = false;        ///< there are no more
  bool finalized = false;
  std::vector<ThreadTime> cores; ///< with ReplayOptions::cores_per_rank: when each that was used is free
};

/// What a thread has beside a rank's state.
struct RankThread {
  RankThreads* all = nullptr;
  std::uint32_t place = 0; ///< in all->players
  ThreadPart part;
  std::size_t next_note = 0;
  std::uint64_t done = 0;    ///< actions that have ended
  bool begun = false;        ///< so has the one after these
  bool watched = false;      ///< some thread waits for this one
  std::uint64_t asked = 0;   ///< TimedWorklist::Entry::asked
  std::uint64_t awaited = 0; ///< the ticket it waits for, when for_message
  /// By lane: what the rank has counted up to the thread's time, where that is not what the thread has.
  std::vector<RankTimes> beyond;

  bool has_reached(std::uint64_t actions, bool ended) const {
    return done >= actions || (!ended && begun && done + 1 == actions);
  }
  ThreadNote* note(std::uint32_t position) {
    const bool here = next_note < part.notes.size() && part.notes[next_note].position == position;
    return here ? &part.notes[next_note] : nullptr;
  }
};

/// A rank; or a thread of one that has several, each of which is replayed like a rank, with a number beyond those of
/// the ranks, but for thread 0, which has its rank's.
struct alignas(64) RankState {
  // The block being replayed.
  const std::uint32_t* sequence = nullptr;
  const Operation* operations = nullptr;
  const std::uint64_t* volume = nullptr;
  const std::uint64_t* volumes_end = nullptr;
  std::uint32_t position = 0;
  std::uint32_t size = 0;
  // The action at `position`, when it has begun but could not end: how far it came, and what it got.
  std::uint32_t stage = 0;
  Waiting waiting = Waiting::no;
  bool finished = false;
  bool several = false;      ///< one of several threads of its rank: there is a `thread`
  std::uint32_t subject = 0; ///< the channel, handshake, collective, asynchronous collective or thread it waits for
  std::uint32_t handshake = no_handshake; ///< of its message
  std::uint64_t ticket = 0;               ///< of its receive, or the number of its collective

  Requests requests;
  std::uint32_t stop = 0;     ///< the position up to which the block is replayed now: its end, or a cut
  std::uint64_t cut = no_cut; ///< the ordinal of the action before which the rank stops next (SteadyStates)
  std::uint64_t to_skip = 0;  ///< actions of the stream, after this block, that are passed over
  trace::ActionBlock block;
  Program program;
  std::unique_ptr<trace::RankStream> stream;
  std::uint64_t actions_before = 0;   ///< in earlier blocks
  std::uint64_t last_computation = 0; ///< kept only where worker threads compute, too
  std::unique_ptr<RankThread> thread;

  /// Returns the dictionary of the block being replayed.
  std::span<const trace::Action> dictionary() const {
    return several ? thread->part.of->block.dictionary() : block.dictionary();
  }
  std::span<const std::uint32_t> whole_sequence() const { return {sequence, size}; }
  /// Returns the ordinal of the action at a position of the block: of its rank's actions, from 0.
  std::uint64_t ordinal(std::uint32_t at) const {
    if (!several) return actions_before + at;
    const auto& ordinals = thread->part.ordinals;
    return at < ordinals.size() ? ordinals[at] : thread->all->actions;
  }
  /// Passes over so many actions of the block.
  void pass_over(std::uint32_t actions);
  /// Returns the ordinal of the present action.
  std::uint64_t action() const { return ordinal(position); }
  /// Begins a block, or a thread's part of one, whose program is `program`.
  void replay(std::span<const std::uint32_t> of_block, std::span<const std::uint64_t> volumes) {
    sequence = of_block.data();
    operations = program.operations.data();
    volume = volumes.data();
    volumes_end = volume + volumes.size();
    size = static_cast<std::uint32_t>(of_block.size());
  }
  /// Notes the last computation of a block, or of a thread's part of one, that is done: the next may begin with what
  /// worker threads computed beside it.
  void note_last_computation();
  /// Returns the request with this number, which is about to be started. Throws Error(invalid_input) when it is active.
  Request& start(trace::RequestId id);
};

/// Throws Error(invalid_input); apart, so that start() is small enough to be inlined.
[[noreturn]] void fail_reused(trace::RequestId id);

inline Request& RankState::start(trace::RequestId id) {
  Request& request = requests[id];
  if (request.state != RequestState::inactive && request.state != RequestState::done) [[unlikely]]
    fail_reused(id);
  return request;
}

} // namespace timeless::replay
