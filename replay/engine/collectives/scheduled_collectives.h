#pragma once

#include "base/free_numbers.h"
#include "replay/engine/collectives/collectives.h"
#include "replay/engine/collectives/schedule_messages.h"
#include "replay/engine/program/schedule.h"
#include "replay/engine/rendezvous/rendezvous.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

namespace timeless::replay {

/// Replays collectives step by step: members send each other messages as the collective's plan says, and go on as soon
/// as their own steps are done.
///
/// A blocking collective takes its steps on the rank's clock, and the rank stands where a message has not come. A
/// nonblocking one has an asynchronous collective, with a clock that begins as its rank's and goes on beside it. Either
/// is known as a *stepper*: the rank's number, or the asynchronous collective's with ScheduleMessages::async_bit.
class ScheduledCollectives {
public:
  ScheduledCollectives(Core& core, Rendezvous& rendezvous, Collectives& collectives)
      : core_(core), rendezvous_(rendezvous), collectives_(collectives) {}

  // ---- actions

  /// Performs a blocking collective of calls[call]. Returns false when the rank must wait.
  bool carry_out(RankState& rank, std::uint32_t number, std::uint32_t call);
  /// Starts a nonblocking collective.
  void start(RankState& rank, std::uint32_t number, const Operation& operation);

  // ---- asynchronous collectives

  /// Returns true when some can go on.
  bool async_ready() const { return !ready_async_.empty(); }
  /// Runs the asynchronous collectives to which messages have come.
  void run_async();
  /// Returns true when an asynchronous collective has ended; otherwise the rank waits for that.
  bool has_ended(RankState& rank, std::uint32_t async) const {
    return async_collectives_[async].ended || Core::wait(rank, Waiting::for_async_collective, async);
  }
  /// Returns what taking an asynchronous collective's result asks of a clock.
  Incoming incoming(std::uint32_t async) const;
  /// Frees an asynchronous collective whose request has completed.
  void dismiss(std::uint32_t async);

  // ---- messages

  /// Takes in a message of a collective's step, from this process or another.
  void put(const ScheduleMessages::MemberPair& way, Message&& message);
  /// Wakes a stepper that waits for this handshake, as the message of its step has left.
  void step_left(std::uint32_t stepper, std::uint32_t handshake);
  /// Wakes the steppers that waited only in lanes that have been given up.
  void wake_released();

  /// Where a rank stands in a collective.
  struct Position {
    std::uint32_t instance = 0;
    std::uint32_t member = 0; ///< whose message or receive it waits for: a place in the communicator
  };
  /// Returns where a rank stands that waits for a step, or for an asynchronous collective to end.
  Position position(std::uint32_t number) const;

private:
  /// How far a member has come in its collective.
  struct Progress {
    Schedule* schedule = nullptr;
    trace::CommunicatorId communicator = trace::world_communicator;
    std::uint32_t member = 0;
    std::uint32_t instance = 0;
    std::uint32_t index = 0; ///< of `step`, or the first that is not on its way
    bool begun = false;      ///< `step` has begun, or all of `together`: what they send is sent
    schedules::Cursor cursor{};
    MemberStep step{};
    // Where several steps are on their way together:
    std::vector<MemberStep> together{};
    std::vector<Message> came{}; ///< received by the first of them
    std::size_t received = 0;    ///< steps whose messages have come, if they have any
    // On the rendezvous path:
    Moment posted{};                        ///< when the receives of `step`, or of `together`, were
    std::uint32_t handshake = no_handshake; ///< of what `step` sends, unless it is among the next
    std::vector<std::uint32_t> leaving{};   ///< of what steps sent that is completed with others
    std::uint32_t awaited = no_handshake;   ///< the one of these that it waits for
  };

  /// Carries out a nonblocking collective for a rank.
  struct AsyncCollective {
    Progress progress;
    Clock clock;
    std::shared_ptr<Schedule> schedule;
    std::unique_ptr<double[]> counters;
    std::uint32_t row = 0; ///< its counters, as what it costs from `begin` on
    Snapshot begin;        ///< once it has ended
    std::uint32_t rank = 0;
    bool ended = false;
  };

  static bool is_async(std::uint32_t stepper) { return (stepper & ScheduleMessages::async_bit) != 0; }
  static std::uint32_t async(std::uint32_t stepper) { return stepper & ~ScheduleMessages::async_bit; }
  Progress& progress(std::uint32_t stepper) {
    return is_async(stepper) ? async_collectives_[async(stepper)].progress : progress_[stepper];
  }
  void wake(std::uint32_t stepper);

  Progress begin(RankState& rank, std::uint32_t number, std::uint32_t call);
  bool next_step(Progress& progress);
  void look(std::uint32_t stepper);
  /// Takes steps until one must wait (false), or there are no more.
  bool advance(Progress& progress, Clock& clock, std::uint32_t stepper);
  void begin_step(Progress& progress, Clock& clock, std::uint32_t stepper);
  void send_step(Progress& progress, Clock& clock, std::uint32_t stepper);
  bool receive_step(Progress& progress, Clock& clock, std::uint32_t stepper);
  Incoming incoming(const Message& message, std::uint32_t stepper) const;
  std::uint32_t free_async();
  void end_async(std::uint32_t async);
  // Several steps on their way together (steps_together.cpp):
  bool advance_together(Progress& progress, Clock& clock, std::uint32_t stepper);
  bool begin_together(Progress& progress, Clock& clock, std::uint32_t stepper);
  bool receive_together(Progress& progress, std::uint32_t stepper);
  void take_together(Progress& progress, Clock& clock, std::uint32_t stepper);
  // Messages that wait for their receives (scheduled_rendezvous.cpp):
  void post_together(Progress& progress, Clock& clock);
  void forget_posted(const Progress& progress);
  void agree(Progress& progress, std::uint32_t stepper, Message& message);
  void match_posted(const ScheduleMessages::MemberPair& way, Message& message);
  bool may_go_on(Progress& progress, std::uint32_t handshake) const;
  bool end_sends(Progress& progress, Clock& clock, std::span<const std::uint32_t> leaving);
  /// Takes the core's arrivals, and with them what was sent and waited for its receive.
  void complete(Clock& clock, std::span<const std::uint32_t> leaving);
  bool end_step_sent(Progress& progress, Clock& clock);
  bool end_all_sent(Progress& progress, Clock& clock);

  Core& core_;
  Rendezvous& rendezvous_;
  Collectives& collectives_;
  ScheduleMessages messages_;
  std::vector<Progress> progress_; ///< of blocking collectives, by rank; empty until there is one
  std::deque<AsyncCollective> async_collectives_;
  FreeNumbers async_numbers_;
  std::vector<std::uint32_t> ready_async_;
  /// By collective, receiver and sender: when receives were posted that others of a plan are on their way with.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Moment> posted_together_;
};

} // namespace timeless::replay
