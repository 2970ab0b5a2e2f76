#pragma once

#include "replay/smpi/job_context.h"
#include "replay/smpi/messages.h"
#include "replay/smpi/requests.h"
#include "trace/model/action_block.h"
#include "trace/model/source.h"

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
struct Passed;

/// What must have ended before an action begins: so many of another thread's actions.
struct Need {
  std::uint32_t thread = 0; ///< its place in the team
  std::uint64_t actions = 0;
  std::shared_ptr<const Passed> since = {}; ///< what it leaves behind, whose time the action takes
};

/// What an action has to do with others.
struct Ties {
  std::vector<Need> needs;
  MessageTags tags;
  std::vector<std::shared_ptr<Pending>> pending; ///< of the requests it begins, completes or frees
  std::shared_ptr<Passed> passed = {};           ///< to be filled in when the action has ended
};

/// An action of one of several threads.
struct ThreadAction {
  std::shared_ptr<const trace::ActionBlock> block; ///< which holds the action
  const trace::Action* action = nullptr;
  std::uint64_t volume = 0;
  std::uint64_t ordinal = 0; ///< within the rank
  std::unique_ptr<Ties> ties = {};
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

  /// Returns the thread's next action, when what it needs has ended; null when there is none. The first thread waits
  /// until all have ended.
  ThreadAction* next(std::uint32_t thread);
  /// Waits until what the thread's action needs has ended.
  void await(std::uint32_t thread, const std::vector<Need>& needs);
  /// Notes that the thread's action has ended.
  void done(std::uint32_t thread, double begin, double end);

  /// Ends the threads' actors: what they have sent or still want to receive ends with them.
  void dismiss();

  /// Returns the players of all threads.
  std::vector<const RankPlayer*> players() const;
  trace::Rank number(std::uint32_t thread) const { return threads_[thread].number; }

private:
  struct Waiter {
    std::uint64_t actions;
    simgrid::s4u::Semaphore* wake;
  };
  struct Member {
    trace::Rank number = 0;
    std::deque<ThreadAction> actions = {};
    std::uint64_t given = 0; ///< actions divided out to it so far
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
  /// Who used something last.
  struct Use {
    std::uint32_t thread = 0;
    std::uint64_t actions = 0; ///< 0: nobody has
  };
  struct Begun {
    Use by;
    std::shared_ptr<Pending> pending;
    std::shared_ptr<const Passed> passed;
  };
  enum class Shared : std::uint8_t { collectives, window, file };
  /// What one action took, until all before it in the sequence have ended.
  struct Spell {
    double begin = 0;
    double end = -1;
  };

  void read_ahead();
  void give_actor(std::uint32_t thread);
  void act(std::uint32_t thread);
  void divide(const std::shared_ptr<const trace::ActionBlock>& block);
  void tie(ThreadAction& action);
  void tie_message(const ThreadAction& action, Ties& ties);
  void tie_mark(const trace::Action& mark, Ties& ties);
  void use(Shared what, trace::CommunicatorId of, Ties& ties);
  void need(const Use& use, Ties& ties, std::shared_ptr<const Passed> since = {}) const;
  std::shared_ptr<Passed> passed() const;
  void begin(trace::RequestId request, Ties& ties);
  void end(trace::RequestId request, Ties& ties);
  Use here() const { return {present_, threads_[present_].given}; }
  std::uint32_t place(trace::Rank number);
  bool over() const;

  JobContext& context_;
  RankPlayer& first_;
  simgrid::s4u::ActorPtr actor_;              ///< the rank's
  std::unique_ptr<trace::RankStream> stream_; ///< null at its end
  std::deque<Member> threads_;
  std::unordered_map<trace::Rank, std::uint32_t> places_; ///< by number
  std::uint32_t present_ = 0;                             ///< whose actions come now
  std::uint64_t ordinal_ = 0;
  std::vector<Idle*> idle_;
  std::uint64_t waiting_ = 0; ///< actions divided out and not begun
  std::map<std::pair<Shared, trace::CommunicatorId>, Use> uses_;
  std::map<std::tuple<trace::CommunicatorId, trace::Rank, trace::Tag>, Use> probes_;
  std::unordered_map<trace::RequestId, Begun> requests_;
  /// By the number of a collective point and thread: its last signal there.
  std::unordered_map<trace::Rank, std::map<std::uint32_t, Need>> signals_;
  std::deque<Spell> unreported_; ///< from this ordinal on; only where somebody observes
  std::uint64_t reported_from_ = 0;
};

} // namespace timeless::replay::smpi
