#pragma once

#include "replay/engine/clocks/clocks.h"
#include "replay/engine/clocks/rank_range.h"
#include "replay/engine/clocks/transfers.h"
#include "replay/engine/core/rank_state.h"
#include "replay/engine/core/remote.h"
#include "replay/engine/core/worklist.h"
#include "replay/engine/explanation/explanation.h"
#include "replay/engine/matching/channels.h"
#include "replay/engine/matching/communicators.h"
#include "replay/engine/matching/lookahead.h"
#include "replay/engine/matching/trace_error.h"
#include "replay/engine/program/not_modelled.h"
#include "replay/options/options.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace timeless::replay {

/// How a rank's actions are run: fast without observers, without explanation, and with overheads that are the same in
/// all lanes and without ports.
enum class Pace : std::uint8_t { fast, usual, observed };

/// What every part of a replay works on: the ranks, what they have done and wait for, their clocks and their channels.
///
/// A rank is known by its number: the process's ranks come first, from 0; threads beyond the first of a rank have
/// further numbers. A rank is in one of three conditions: it has ended, it waits (RankState::waiting says for what), or
/// it can go on and stands on the worklist, once. The code that brings about what a rank waits for calls wake().
///
/// One thread uses a core and all that refers to it.
struct Core {
  /// Prepares a replay of all ranks, or with `others` of this process's. With `on_rendezvous_path`, messages may wait
  /// for their receives though no lane has an eager limit.
  Core(const trace::Source& trace, const Network& machine, const ReplayOptions& asked, Remote* others,
       bool on_rendezvous_path);
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  // ---- ranks and threads

  /// Returns the number of the rank that a thread belongs to.
  std::uint32_t rank_number(std::uint32_t number) const {
    return number < local_ranks.size() ? number : ranks[number].thread->all->rank;
  }
  trace::Rank world_rank(std::uint32_t number) const {
    return local_ranks.begin + static_cast<trace::Rank>(rank_number(number));
  }
  /// Calls visit(number) for the threads of a rank, or for the rank.
  template <typename Visit>
  void for_each_thread(std::uint32_t number, Visit&& visit) {
    if (!ranks[number].several) return visit(number);
    for (const std::uint32_t player : ranks[number].thread->all->players)
      visit(player);
  }
  /// Returns where a rank stands: "rank 3, action 17".
  std::string where(std::uint32_t number) const;
  void finish(RankState& rank) {
    rank.finished = true;
    ++finished;
  }
  /// Returns how many actions a rank replays at most before the next one is run. Few among processes, so that others
  /// hear of what it sends.
  std::uint32_t budget() const {
    constexpr std::uint32_t among_processes = 64;
    return std::max(remote != nullptr ? std::min(options.budget, among_processes) : options.budget, 1U);
  }
  bool all_finished() const { return finished == ranks.size(); }
  /// Counts what the model leaves out of a whole block: what is begun will be replayed, or the replay fails.
  void count_not_modelled(const Program& program, const trace::ActionBlock& block, std::size_t number);

  // ---- waiting

  /// Puts a rank that waits on the worklist: it goes on.
  void wake(std::uint32_t number) {
    RankState& rank = ranks[number];
    if (rank.waiting == Waiting::for_message) channels[rank.subject].awaited = Channel::nobody;
    rank.waiting = Waiting::no;
    worklist.push(number);
  }
  /// Makes the rank wait. Returns false, as a step that must wait does.
  static bool wait(RankState& rank, Waiting what, std::uint32_t subject) {
    rank.waiting = what;
    rank.subject = subject;
    return false;
  }
  /// Wakes those threads of a rank that wait for this.
  void wake_those(std::uint32_t number, Waiting what, std::uint32_t subject) {
    for_each_thread(number, [&](std::uint32_t one) {
      if (ranks[one].waiting == what && ranks[one].subject == subject) wake(one);
    });
  }

  /// Wakes the rank, or the thread of it, that waits for a channel's next message.
  void wake_receiver(std::uint32_t channel, std::uint32_t destination) {
    if (ranks[destination].several) [[unlikely]]
      return wake_threads(channel);
    wake(destination);
  }
  /// Notes at the channel which of its messages the rank waits for.
  static void await_message(RankState& rank, Channel& channel, std::uint64_t ticket) {
    if (rank.several) [[unlikely]]
      await_among_threads(rank, channel, ticket);
    else
      channel.awaited = ticket;
  }
  /// Wakes the threads of the rank that wait at a channel, as the tickets of its receives have changed.
  void look_again(std::uint32_t number, std::uint32_t channel_number);

  // ---- explanation

  /// Notes in the path that the rank sends a message or comes to a collective in its present action.
  void depart(std::uint32_t number, PathTracer::Kind kind) {
    if (explanation.paths) explanation.paths->depart(number, world_rank(number), ranks[number].action(), kind);
  }
  /// Notes in the path that the rank has done an action, or a step of a scheduled collective.
  void look(std::uint32_t number) {
    if (explanation.paths) explanation.paths->look(number, world_rank(number), ranks[number].action());
  }

  const trace::Source& source;
  const Network& network;
  const ReplayOptions& options;
  const MpiLibrary library;
  Remote* const remote;        ///< null when this engine replays all ranks
  const RankRange local_ranks; ///< of ranks, the first of which is number 0
  const bool rendezvous_path;  ///< messages may wait for their receives
  Communicators communicators;
  Clocks clocks;
  Channels channels;
  NotModelledCalls not_modelled;
  Compiler compiler;
  Lookahead lookahead;
  Transfers transfers;
  std::vector<RankState> ranks; ///< and, after them, what threads they have beyond the first
  Worklist worklist;
  Explanation explanation;
  std::size_t finished = 0;
  std::uint64_t actions = 0;        ///< in blocks that are done
  std::vector<Incoming> arrivals{}; ///< scratch for completing several things at once

private:
  static void await_among_threads(RankState& rank, Channel& channel, std::uint64_t ticket);
  void wake_threads(std::uint32_t channel);
};

} // namespace timeless::replay
