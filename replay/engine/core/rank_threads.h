#pragma once

#include "replay/engine/clocks/clocks.h"
#include "replay/engine/explanation/attribution.h"
#include "replay/engine/program/program.h"
#include "replay/result/result.h"
#include "trace/model/action_block.h"
#include "trace/model/ids.h"
#include "trace/model/thread_uses.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace timeless::replay {

/// A block of a rank with several threads, and its dictionary derived, for as long as some thread has actions of it.
struct SharedBlock {
  trace::ActionBlock block;
  Program program;
};

/// A thread's time when it had begun an action that another may wait for, and what the rank had counted by then.
struct ThreadTime {
  Moment moment;
  std::vector<RankTimes> counted; ///< by lane
  Attributor::Parts parts;        ///< the same, divided; where that is asked for
};

/// An action of another thread of the rank that must have begun, or ended, before an action begins.
struct Dependence {
  /// Its time then, `since`, is what the action waits for; null where only the order matters.
  trace::ThreadUse<ThreadTime> on;
  trace::RequestId request = trace::no_request; ///< which that thread has had until then
};

/// What one of a thread's actions has to do with the rank's other threads.
struct ThreadNote {
  std::uint32_t position = 0; ///< in its part
  std::vector<Dependence> dependences;
  std::shared_ptr<ThreadTime> begun_at = {}; ///< filled in when the action has begun; null where nobody asks
};

/// One thread's actions in a block, in their order.
struct ThreadPart {
  std::shared_ptr<const SharedBlock> of;
  std::vector<std::uint32_t> sequence;
  std::vector<std::uint64_t> volumes;
  std::vector<std::uint64_t> ordinals; ///< within the rank, rising
  std::vector<ThreadNote> notes;       ///< by rising position
};

/// Divides the actions of a rank among its threads, each of which follows its own order.
///
/// Whatever threads share has the order of the rank's recorded sequence: messages of a channel and receives on it,
/// collectives of a communicator or a file, calls on a window, and what is done with a request. So the replay does not
/// depend on which thread is run first. An action must wait until those before it that share something with it
/// have begun (messages, collectives) or ended (probes, windows, files, completions), but it only takes their *time*
/// where a thread must have known of the other: completing what another has started, and a thread_await.
class ThreadDivision {
public:
  /// The channel of a receive from any source, by its ordinal; no_channel where that is never learnt.
  using ChannelOf = std::function<std::uint32_t(std::uint64_t action)>;

  /// Divides the next block among the threads; `first` is the ordinal of its first action.
  void divide(const std::shared_ptr<const SharedBlock>& block, std::uint64_t first, const ChannelOf& channel_of);
  /// Returns the threads met so far; thread 0 of the trace is the first.
  std::size_t size() const { return parts_.size(); }
  /// Returns a thread's number in the trace.
  trace::Rank number(std::size_t thread) const { return uses_.number(thread); }
  /// Returns the parts that the thread has not taken.
  std::deque<ThreadPart>& parts(std::size_t thread) { return parts_[thread]; }

private:
  using Resource = trace::ThreadResource;

  ThreadPart& part(const std::shared_ptr<const SharedBlock>& block);
  void note(const Program& program, const Operation& operation, std::uint64_t ordinal, const ChannelOf& channel_of,
            ThreadNote& note);
  void synchronise(const trace::Action& mark, ThreadNote& note);
  void use(Resource resource, std::uint32_t number, bool ended, ThreadNote& note);
  void start(trace::RequestId request, ThreadNote& note);
  void end(trace::RequestId request, ThreadNote& note);

  trace::ThreadUses<ThreadTime> uses_;
  std::vector<std::deque<ThreadPart>> parts_{1}; ///< by thread
  bool marked_ = false; ///< a mark of threads has come: all before it is thread 0's, and behind all others
};

} // namespace timeless::replay
