#pragma once

#include "replay/engine/collectives/collectives.h"
#include "replay/engine/collectives/scheduled_collectives.h"
#include "replay/engine/completions.h"
#include "replay/engine/core/core.h"
#include "replay/engine/deliveries.h"
#include "replay/engine/outcome.h"
#include "replay/engine/rendezvous/rendezvous.h"
#include "replay/engine/steady/steady_states.h"
#include "replay/engine/threads/thread_teams.h"
#include "replay/engine/transfers/files.h"
#include "replay/engine/transfers/one_sided.h"
#include "replay/options/options.h"
#include "trace/model/source.h"

#include <cstdint>

namespace timeless::replay {

/// Runs the ranks of a trace, each until it must wait or its budget is spent, until all have ended.
///
/// Which receive takes which message, and who is in a collective together, follows from the trace alone, so neither the
/// order in which ranks are run nor the budget changes the result.
/// Nor do jumps, compared with a replay that stops at the same cuts.
///
/// The engine itself holds the event loop (event_loop.cpp, thread_loop.cpp), with eager messages in it (messages.h).
/// All else is in collaborators with state of their own: Completions, Rendezvous, Collectives, ScheduledCollectives,
/// OneSided, Files, ThreadTeams, SteadyStates. They work on the same Core, as do Deliveries and Outcome.
class Engine {
public:
  /// Replays all ranks; or, with `remote`, this process's.
  /// `rendezvous_path` is for runs in which messages wait for their receives although no lane has an eager limit:
  /// without it, the replay throws NeedsFullPath when it meets the first of them.
  Engine(const trace::Source& source, const Network& network, const ReplayOptions& options, Remote* remote = nullptr,
         bool rendezvous_path = false);
  Result run();

  // What run() consists of where others replay the other ranks.

  /// Runs ranks at most so many times; false when no rank can go on.
  bool run_ranks(std::uint32_t times);
  bool can_go_on() const { return teams_.someone_can_go_on() || scheduled_.async_ready(); }
  /// Returns what other processes tell.
  Deliveries& deliveries() { return deliveries_; }
  /// Returns the number of actions in the blocks that are done.
  std::uint64_t actions() const { return core_.actions; }
  std::size_t lanes() const { return core_.clocks.model.lanes(); }
  bool on_rendezvous_path() const { return core_.rendezvous_path; }
  /// Gives up the lanes that wait for most, since no rank goes on anywhere, for the reason `found`; every process must
  /// do so at once. Returns false when no lanes are left.
  bool give_up_strictest_lanes(const Diagnosis& found);
  Outcome& outcome() { return outcome_; }
  SteadyStates& steady() { return steady_; }

private:
  // The event loop (event_loop.cpp). What is written once for all paces is a template; Pace::fast has the most
  // frequent actions in the innermost loop.
  void prefetch() const;
  void run_rank(std::uint32_t number);
  template <Pace pace>
  bool run_actions(RankState& rank, std::uint32_t number, std::uint32_t end);
  bool next_block(RankState& rank, std::uint32_t number);
  void finalize(RankState& rank, std::uint32_t number);
  /// Replays an action; false when it must wait.
  bool perform(RankState& rank, std::uint32_t number, const Operation& operation);
  bool perform_less_frequent(RankState& rank, std::uint32_t number, const Operation& operation);
  void post_wildcard(RankState& rank, std::uint32_t number, const Operation& operation);

  // The same for one of several threads (thread_loop.cpp).
  void run_thread(std::uint32_t number);
  bool run_thread_action(RankState& rank, std::uint32_t number);
  bool perform_in_thread(RankState& rank, std::uint32_t number, const Operation& operation);

  bool give_up_strictest_lanes();

  Core core_;
  Rendezvous rendezvous_;
  Collectives collectives_;
  ScheduledCollectives scheduled_;
  OneSided one_sided_;
  Files files_;
  SteadyStates steady_;
  ThreadTeams teams_;
  Completions completions_;
  Deliveries deliveries_;
  Outcome outcome_;
  bool fast_; ///< Pace::fast
};

} // namespace timeless::replay
