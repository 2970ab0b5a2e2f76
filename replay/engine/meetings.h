#pragma once

#include "replay/engine/communicators.h"
#include "replay/engine/snapshot.h"
#include "replay/model/collectives.h"
#include "replay/replay.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace timeless::replay {

/// One rank's call of a collective.
struct CollectiveCall {
  trace::CommunicatorId communicator = trace::world_communicator;
  std::uint32_t member = 0; ///< the caller's place in the communicator
  /// The root's place in the communicator; no_rank for collectives without one, and for those who do not know it.
  trace::Rank root = trace::no_rank;
  bool nonblocking = false;
  /// In the root's group of an intercommunicator, but not the root: has no part in it.
  bool idle = false;
  bool scheduled = false;      ///< carried out step by step: nobody waits for all to come
  std::uint32_t algorithm = 0; ///< of the schedule; members must have chosen the same
  CollectiveShape shape;       ///< with the n this member knows of
  trace::Bytes moved = 0;      ///< of a call on a file: to or from it, of a meeting by all who have come
};

/// "Ibcast with root 2"
std::string describe(const CollectiveCall& call);

/// The k-th collective of a communicator, for all its members.
struct Meeting {
  CollectiveCall call; ///< of whoever came first; the shape grows with each member's
  trace::Rank first_rank = trace::no_rank;
  std::uint64_t first_action = 0;
  std::uint64_t ordinal = 0; ///< k
  Snapshot latest;           ///< of all arrivals so far
  std::uint32_t arrived = 0;
  std::uint32_t to_leave = 0;
  std::uint64_t in_flight = 0; ///< messages of a scheduled collective on their way
  // Once all have come:
  bool complete = false;
  bool left = false; ///< by somebody
  CollectiveCost cost;
  std::uint32_t row = 0;
};

/// Who meets whom: every communicator's collectives, counted by each member for itself.
class Meetings {
public:
  explicit Meetings(const Communicators& communicators)
      : communicators_(communicators), orders_(communicators.size()) {}

  Meeting& operator[](std::uint32_t number) { return meetings_[number]; }
  const Meeting& operator[](std::uint32_t number) const { return meetings_[number]; }

  /// A member comes to its next meeting; returns the meeting's number. The caller adds the member's time to `latest`.
  /// Throws ReplayProblem when the members' calls do not fit.
  std::uint32_t arrive(const CollectiveCall& call, trace::Rank rank, std::uint64_t action);
  /// A member has its result; the last one to leave ends the meeting. Throws Error(invalid_input) when messages are
  /// left over then.
  void leave(std::uint32_t number);
  /// Calls visit(meeting) for scheduled collectives that some have left and others never came to.
  template <typename Visit>
  void for_each_deserted(Visit&& visit) const {
    for (const Order& order : orders_)
      for (const std::uint32_t number : order.incomplete)
        if (meetings_[number].call.scheduled && meetings_[number].left) visit(meetings_[number]);
  }
  /// How many collectives of the communicator this member has come to.
  std::uint64_t calls(trace::CommunicatorId communicator, std::uint32_t member) const;

private:
  /// The meetings of one communicator.
  struct Order {
    std::vector<std::uint64_t> next;      ///< each member's next ordinal
    std::deque<std::uint32_t> incomplete; ///< meetings some members have yet to come to, by rising ordinal
    std::uint64_t first_incomplete = 0;   ///< ordinal of the first of these
  };

  std::uint32_t open(const CollectiveCall& call, trace::Rank rank, std::uint64_t action, std::uint64_t ordinal);

  const Communicators& communicators_;
  std::vector<Order> orders_;
  std::deque<Meeting> meetings_;
  std::vector<std::uint32_t> free_;
};

} // namespace timeless::replay
