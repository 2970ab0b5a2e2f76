#pragma once

#include "replay/engine/clocks/eager_limits.h"
#include "replay/engine/core/core.h"
#include "replay/engine/rendezvous/handshakes.h"
#include "replay/result/problem.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace timeless::replay {

/// Replays messages that wait for their receives in some lanes: the rendezvous path.
///
/// Such a message has a handshake from its send until it has left: it leaves when its receive is posted, and is from
/// there on like an eager message that was sent at that time. Its sender waits, or what completes its request does, for
/// the handshake's start. Receives that are posted before their messages are sent are noted until then.
///
/// Lanes whose eager limits differ share one replay, which waits for what the strictest lane asks. When nothing goes
/// on, exactly that lane is in a deadlock: it is given up, and the others go on.
class Rendezvous {
public:
  /// `step_left(stepper, handshake)` is told when a message has left that belongs to a step of a scheduled collective.
  using StepLeft = std::function<void(std::uint32_t stepper, std::uint32_t handshake)>;
  Rendezvous(Core& core, StepLeft step_left);

  // ---- actions; false when the rank must wait

  bool send(RankState& rank, std::uint32_t number, const Operation& operation);
  bool exchange(RankState& rank, std::uint32_t number, const Operation& operation);
  /// Starts a nonblocking receive.
  void start_receive(RankState& rank, std::uint32_t number, const Operation& operation);
  /// Posts a receive of a rank now; returns its ticket.
  std::uint64_t post(std::uint32_t number, std::uint32_t channel);
  /// Returns true when what the operation starts is cancelled in the end: it is never sent and never posted, so nobody
  /// must meet it.
  bool cancelled_later(RankState& rank, std::uint32_t number, const Operation& operation);

  // ---- messages

  /// Begins the handshake of a message that waits for its receive in some lane that is left; `whose` says who sends it.
  /// True when its sender waits, too.
  bool agree(Message& message, Handshake whose);
  /// Gives a message from another engine its handshake, which has this number there. `channel`: the message's, unless
  /// it belongs to a collective.
  void agree_elsewhere(Message& message, std::uint32_t channel, int origin, std::uint32_t number_there);
  /// Returns, and forgets, when the receive was posted that gets the next message of a channel; empty when it is not
  /// posted.
  Moment posted(std::uint32_t channel) { return postings_.take(channel, core_.channels[channel].sent); }
  /// Makes a message leave whose receive is posted.
  void leave(Message& message, const Moment& posted);
  /// Notes that the message of a handshake has left, here or in another process.
  void left(std::uint32_t handshake, Snapshot start);

  // ---- completions

  /// Returns true when no message waits for its receive, and no receive that was posted for its message.
  bool idle() const { return handshakes_.size() == 0 && postings_.size() == 0; }
  const Handshake& operator[](std::uint32_t handshake) const { return handshakes_[handshake]; }
  /// Returns true when the sender need not wait for the message any more: it has left, or all lanes that wait are given
  /// up.
  bool over(std::uint32_t handshake) const { return handshakes_[handshake].start || !held(handshakes_[handshake]); }
  /// Returns true when it is over; otherwise the rank waits for it.
  bool may_go_on(RankState& rank, std::uint32_t handshake) {
    return over(handshake) || Core::wait(rank, Waiting::for_posting, handshake);
  }
  /// Returns the channel on which a request's message comes; no_channel when it waits for none.
  std::uint32_t receive_channel(const Request& request) const;
  /// Adds what the sender of a message waits for to the core's arrivals, unless the lanes that wait are given up;
  /// returns how many.
  std::size_t add_departure(std::uint32_t handshake);
  /// Adds the arrivals that a request which completes waits for, as it receives, sends or does both; returns the number
  /// of departures among these.
  std::size_t add_arrivals(const Request& request);
  /// Ends a handshake whose sender has waited for its message, which kept its port busy.
  void end_sent(Clock& clock, std::uint32_t handshake);
  /// Forgets what a request stood for that has completed.
  void forget(Clock& clock, const Request& request);
  /// Completes such a request alone.
  void complete(std::uint32_t number, const Request& request);
  /// Ends a handshake for its sender; the message may have yet to leave.
  void end(std::uint32_t handshake);

  // ---- deadlocks

  bool any_left() const { return strictest_.any_left(); }
  /// Gives up the lanes that wait for most, which are in this deadlock, and wakes those ranks that need not wait in the
  /// others. False when no lane is left.
  bool give_up_strictest_lanes(const Diagnosis& found);
  /// Returns why a lane was given up; null when it was not.
  const std::shared_ptr<const Diagnosis>& deadlock(std::size_t lane) const { return deadlocks_[lane]; }
  /// Returns the diagnosis when no lane is left.
  const std::shared_ptr<const Diagnosis>& last_deadlock() const { return last_deadlock_; }

private:
  bool held(const Handshake& handshake) const {
    return handshake.synchronous || strictest_.holds(core_.clocks.model.rows[handshake.row].held);
  }
  std::uint32_t begin_to_send(std::uint32_t number, const Operation& operation);

  Core& core_;
  StepLeft step_left_;
  StrictestLane strictest_;
  Handshakes handshakes_;
  Postings postings_;
  std::vector<std::shared_ptr<const Diagnosis>> deadlocks_; ///< by lane
  std::shared_ptr<const Diagnosis> last_deadlock_;
};

} // namespace timeless::replay
