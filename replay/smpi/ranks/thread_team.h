#pragma once

#include "replay/smpi/calls/dependences.h"
#include "replay/smpi/calls/job_context.h"
#include "trace/model/action_block.h"
#include "trace/model/source.h"
#include "trace/model/thread_uses.h"

#include <simgrid/s4u.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace timeless::replay::smpi {

class RankPlayer;

/// An action of one of several threads.
struct ThreadAction {
  std::shared_ptr<const trace::ActionBlock> block; ///< which holds the action
  const trace::Action* action = nullptr;
  std::uint64_t volume = 0;
  std::uint64_t ordinal = 0; ///< within the rank
  std::unique_ptr<Dependences> dependences = {};
};

/// Divides the actions of a rank among its threads, each of which plays its own in an actor of its own, as long as it
/// has some; the first in the rank's.
///
/// What threads share is settled in the order recorded, before it is played: which request an action means, and which
/// message a receive takes (MessageNumbers). An action waits for another thread's only where it must come after: a
/// completion after its request's beginning, a thread_await after its signals, a collective after the one before it on
/// the communicator or file, a call on a window after the one before it, a receive after the probe that found its
/// message.
class ThreadTeam {
public:
  /// Makes the team of a rank; called by the rank's actor.
  ThreadTeam(JobContext& context, RankPlayer& first, std::unique_ptr<trace::RankStream> stream);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  /// Returns the thread's next action; null when there is none. The first thread waits
  /// until all have ended.
  ThreadAction* next(std::uint32_t thread);
  /// Waits until what the thread's action depends on has ended.
  void await(std::uint32_t thread, const std::vector<Dependence>& dependences);
  /// Notes that the thread's action has ended.
  void done(std::uint32_t thread, double begin, double end);

  /// Ends the threads' actors: what they have sent or still want to receive ends with them.
  void dismiss();

  /// Returns the players of all threads.
  std::vector<const RankPlayer*> players() const;
  trace::Rank number(std::uint32_t thread) const { return uses_.number(thread); }

private:
  struct Waiter {
    std::uint64_t actions;
    simgrid::s4u::Semaphore* wake;
  };
  struct Member {
    std::deque<ThreadAction> actions = {};
    std::uint64_t done = 0;
    bool acting = false; ///< it has an actor
    std::vector<Waiter> waiters = {};
    simgrid::s4u::SemaphorePtr wake = {};
    std::unique_ptr<RankPlayer> player; ///< null: the first thread's
  };
  /// An actor whose thread has no actions, until it is given one that has.
  struct Idle {
    simgrid::s4u::SemaphorePtr wake;
    bool ends = true;
    std::uint32_t thread = 0;
  };
  struct Begun {
    Dependence by;
    std::shared_ptr<Pending> pending;
  };
  using Resource = trace::ThreadResource;
  /// What one action took, until all before it in the sequence have ended.
  struct ActionTime {
    double begin = 0;
    double end = -1;
  };

  void read_ahead();
  void give_actor(std::uint32_t thread);
  void act(std::uint32_t thread);
  void divide(const std::shared_ptr<const trace::ActionBlock>& block);
  void find_dependences(ThreadAction& action);
  void number_message(const ThreadAction& action, Dependences& found);
  void synchronise(const trace::Action& mark, Dependences& found);
  void use(Resource resource, trace::CommunicatorId of, Dependences& found);
  std::shared_ptr<ThreadTime> time_asked_for() const;
  void begin(trace::RequestId request, Dependences& found);
  void end(trace::RequestId request, Dependences& found);
  bool over() const;

  JobContext& context_;
  RankPlayer& first_;
  simgrid::s4u::ActorPtr actor_;              ///< the rank's
  std::unique_ptr<trace::RankStream> stream_; ///< null at its end
  std::deque<Member> threads_;
  std::uint64_t ordinal_ = 0;
  std::vector<Idle*> idle_;
  std::uint64_t waiting_ = 0; ///< actions divided out and not begun
  trace::ThreadUses<ThreadTime> uses_;
  std::map<std::tuple<trace::CommunicatorId, trace::Rank, trace::Tag>, Dependence> probes_;
  std::unordered_map<trace::RequestId, Begun> requests_;
  std::deque<ActionTime> unreported_; ///< from this ordinal on; only where somebody observes
  std::uint64_t reported_from_ = 0;
};

} // namespace timeless::replay::smpi
