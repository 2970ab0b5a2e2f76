#pragma once

#include "replay/smpi/calls/call.h"
#include "replay/smpi/calls/job_context.h"
#include "replay/smpi/calls/rank_calls.h"
#include "replay/smpi/ranks/computation.h"
#include "replay/smpi/ranks/thread_team.h"
#include "replay/smpi/ranks/time_by_subject.h"
#include "trace/model/action_block.h"
#include "trace/model/source.h"

#include <simgrid/s4u.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace timeless::replay::smpi {

/// Plays one rank's actions inside its SimGrid actor, and keeps the time; of a rank with several threads, the first
/// one's, and others play the others'.
class RankPlayer final : public Caller {
public:
  RankPlayer(JobContext& context, trace::Rank rank)
      : Caller(*context.report), context_(context), rank_(rank), computation_(context, rank),
        calls_(std::make_shared<RankCalls>(context, rank)) {}
  /// Makes a player for another thread of the rank, at this place in the team.
  RankPlayer(const RankPlayer& first, ThreadTeam& team, std::uint32_t thread)
      : Caller(first), context_(first.context_), rank_(first.rank_), thread_(thread), of_(&team), start_(first.start_),
        cores_(first.cores_), computation_(first.context_, first.rank_), calls_(first.calls_) {}

  /// Plays the rank: the actor's body.
  void play();
  /// Plays the actions that the team has for its thread.
  void follow(ThreadTeam& team);

  trace::Rank rank() const { return rank_; }
  bool finished() const { return finished_; }
  double end() const; ///< of its last action that has ended, in seconds since the common start
  std::uint64_t actions() const;
  std::uint32_t kernel() const { return times_.kernel(); } ///< computed last, by its first thread; or no_subject
  /// Returns where the rank is, with all its threads.
  std::string position() const override;
  /// Returns the rank's time by subject: that of the thread that ends last, and before it waited for a signal, that of
  /// the thread that gave the signal.
  TimeBySubject times() const;

  /// Returns what SMPI is told of the next message that the rank sends or receives, in a run with several threads.
  MessageTags number_messages(const trace::Action& action, std::uint64_t ordinal) {
    return calls_->number_messages({action, ordinal, *this});
  }

private:
  void prepare();
  void play_alone();
  void play_in_team();
  void play_one(const trace::Action& action, std::uint64_t volume, const Dependences* dependences = nullptr);
  void take_over(const std::vector<Dependence>& dependences, double before);
  std::string own_position() const;
  std::vector<const RankPlayer*> all_threads() const;

  JobContext& context_;
  trace::Rank rank_;
  std::uint32_t thread_ = 0;                   ///< its place in the team
  ThreadTeam* of_ = nullptr;                   ///< of a rank with several threads
  std::unique_ptr<ThreadTeam> team_;           ///< the same, where it is the first of them
  double start_ = 0;                           ///< simulated time of the common start
  simgrid::s4u::SemaphorePtr cores_ = nullptr; ///< that the rank's threads compute on; null: as many as they need
  Computation computation_;
  std::shared_ptr<RankCalls> calls_; ///< of all threads of the rank
  TimeBySubject times_;
  /// What the rank is at, kept beyond its actor: a host that fails takes that, and its stack, away.
  std::unique_ptr<trace::RankStream> stream_;
  trace::ActionBlock block_;
  const trace::Action* current_ = nullptr; ///< in block_
  std::uint64_t ordinal_ = 0;              ///< its number among the rank's
  std::uint64_t actions_ = 0;              ///< that have ended
  bool finished_ = false;
  double end_ = 0;
};

} // namespace timeless::replay::smpi
