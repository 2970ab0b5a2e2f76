#pragma once

#include "replay/engine/collectives/collectives.h"
#include "replay/engine/collectives/scheduled_collectives.h"
#include "replay/engine/core/core.h"
#include "replay/engine/diagnosis.h"
#include "replay/engine/ending.h"
#include "replay/engine/rendezvous/rendezvous.h"
#include "replay/engine/threads/thread_teams.h"
#include "replay/engine/transfers/files.h"
#include "replay/engine/transfers/one_sided.h"
#include "replay/options/options.h"
#include "trace/model/source.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace timeless::replay {

/// Runs the ranks of a trace, each until it must wait or its budget is spent, until all have ended.
///
/// Who takes which message and who meets whom follows from the trace alone, so neither the order in which ranks are run
/// nor the budget changes the result.
///
/// The engine itself holds the event loop (event_loop.cpp, thread_loop.cpp), eager messages, and requests
/// (completions.cpp, cancel_and_free.cpp). For all else it asks those who know: Rendezvous, Collectives,
/// ScheduledCollectives, OneSided, Files, ThreadTeams. They work on the same Core.
class Engine {
public:
  /// Replays all ranks; or, with `remote`, this process's share of them.
  /// `rendezvous_path` is for runs in which messages wait for their receives although no lane has an eager limit:
  /// without it, the replay throws NeedsFullPath when it meets the first of them.
  Engine(const trace::Source& source, const Network& network, const ReplayOptions& options, Remote* remote = nullptr,
         bool rendezvous_path = false);
  Result run();

  // What run() consists of where others replay the other ranks.

  /// Runs ranks at most so many times; false when no rank can go on.
  bool run_ranks(std::uint32_t times);
  bool can_go_on() const { return teams_.someone_can_go_on() || scheduled_.async_ready(); }
  /// What another process tells.
  void deliver(int from, const Batch& batch);
  /// Messages from other processes that have not been taken.
  std::uint64_t messages_held();
  /// Actions in blocks that are done.
  std::uint64_t actions() const { return core_.actions; }
  bool on_rendezvous_path() const { return core_.rendezvous_path; }
  /// Nothing goes on anywhere, for this reason: gives up the lanes that wait for most, as every process must at once.
  /// False when none are left.
  bool give_up_strictest_lanes(const Diagnosis& found);
  /// The diagnosis when no lane is left.
  const std::shared_ptr<const Diagnosis>& last_deadlock() const { return rendezvous_.last_deadlock(); }
  /// How the share has ended: to be asked when no process can go on.
  Ending ending();
  /// What the replay says of the share; its notes only go with those of all others.
  Result result();
  Findings findings();
  /// With ReplayOptions::critical_path, once all has ended: the path to the end of the rank that ends last, the lowest
  /// of them; and the path to a node in this engine's share of the ranks.
  struct LastRank {
    trace::Rank rank = trace::no_rank;
    double end = -1;
  };
  LastRank last_rank();
  PathPiece end_of_path(trace::Rank rank);
  PathPiece path_to(std::uint32_t place) const { return core_.explanation.paths->path_to(place); }

private:
  /// What came of an action on the fast path; `other`: it cannot replay this one.
  enum class Completion : std::uint8_t { done, waits, other };
  /// A message that is being taken, and where it stands.
  struct Arrived {
    Channel* channel;
    Message* message;
    std::uint64_t ticket;
  };

  // The event loop (event_loop.cpp). What is written once for all paces is a template; Pace::plain has the most
  // frequent actions in the innermost loop.
  void prefetch() const;
  void run_rank(std::uint32_t number);
  template <Pace pace>
  bool run_actions(RankState& rank, std::uint32_t number, std::uint32_t end);
  [[noreturn]] static void fail_at(RankState& rank, std::uint32_t position, const char* what);
  bool next_block(RankState& rank, std::uint32_t number);
  void finalize(RankState& rank, std::uint32_t number);
  void compute_beside_workers(RankState& rank, Clock& clock, Step step, double factor);
  Completion perform_fast(RankState& rank, std::uint32_t number, Clock& clock, const Operation& operation);
  Completion complete_fast(RankState& rank, Clock& clock, std::span<const trace::RequestId> ids);
  /// Replays an action; false when it must wait.
  bool perform(RankState& rank, std::uint32_t number, const Operation& operation);

  // The same for one of several threads (thread_loop.cpp).
  void run_thread(std::uint32_t number);
  bool run_thread_action(RankState& rank, std::uint32_t number);
  bool perform_in_thread(RankState& rank, std::uint32_t number, const Operation& operation);

  // Eager messages (messages.h).
  template <Pace pace>
  void send(RankState& rank, std::uint32_t number, Clock& clock, const Operation& operation);
  template <Pace pace>
  bool receive(RankState& rank, Clock& clock, const Operation& operation);
  template <Pace pace>
  void take(Clock& clock, std::uint32_t channel, std::uint64_t ticket);
  void post(RankState& rank, const Operation& operation);
  bool exchange(RankState& rank, std::uint32_t number, const Operation& operation);
  bool probe(RankState& rank, std::uint32_t number, const Operation& operation);
  void post_wildcard(RankState& rank, std::uint32_t number, const Operation& operation);

  // Requests (completions.cpp, cancel_and_free.cpp).
  bool ready(RankState& rank, trace::RequestId id);
  bool complete_one(RankState& rank, std::uint32_t number, trace::RequestId id);
  bool complete_all(RankState& rank, std::uint32_t number, std::span<const trace::RequestId> ids);
  bool gather(RankState& rank, std::span<const trace::RequestId> ids, std::size_t& departures);
  void forget(Clock& clock, const Request& request);
  void complete_others(RankState& rank, std::uint32_t number, std::span<const trace::RequestId> ids);
  void complete_other(std::uint32_t number, const Request& request);
  [[noreturn]] static void fail_completed_twice(trace::RequestId id);
  void cancel(RankState& rank, std::uint32_t number, trace::RequestId id);
  void cancel_receive(std::uint32_t number, Request& request);
  void cancel_send(std::uint32_t number, Request& request);
  void release(RankState& rank, trace::RequestId id);
  static bool receives_now(const RankState& rank, std::uint32_t channel);

  bool give_up_strictest_lanes();

  // For an observer (observed_actions.cpp): before an action, and when it has ended.
  void expect(RankState& rank, std::uint32_t number, const Operation& operation);
  void observe(RankState& rank, std::uint32_t number, std::uint32_t position, std::uint64_t volume);

  // What other engines tell (remote_actions.cpp).
  void learn_channel(int from, std::uint32_t number, WordReader& words);
  void receive_message(int from, std::uint32_t number, WordReader& words);
  void receive_step(int from, const InstanceId& id, WordReader& words);
  void receive_unsend(Remote::Arriving& arriving, std::uint64_t ticket);

  // How it ends (outcome.cpp).
  std::vector<RankStatus> status() const;
  RankStatus status(std::uint32_t number) const;
  std::vector<RankStatus> deserted() const;
  Attribution attribution(std::size_t lanes);
  LaneResult lane_result(std::size_t lane, double ideal_makespan);
  void tell_threads(std::size_t lane, LaneResult& result) const;

  Core core_;
  Rendezvous rendezvous_;
  Collectives collectives_;
  ScheduledCollectives scheduled_;
  OneSided one_sided_;
  Files files_;
  ThreadTeams teams_;
  bool plain_; ///< Pace::plain
};

} // namespace timeless::replay
