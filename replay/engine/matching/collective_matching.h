#pragma once

#include "base/free_numbers.h"
#include "replay/collectives/collectives.h"
#include "replay/engine/clocks/rank_range.h"
#include "replay/engine/clocks/snapshot.h"
#include "replay/engine/matching/communicators.h"
#include "replay/options/options.h"

#include <cstdint>
#include <deque>
#include <map>
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
  trace::Bytes moved = 0;      ///< of a call on a file: to or from it, of a collective by all who have come
};

/// Returns a collective in words: "Ibcast with root 2".
std::string describe(const CollectiveCall& call);

/// Who calls what, and where.
struct Caller {
  CollectiveCall call;
  trace::Rank rank = trace::no_rank;
  std::uint64_t action = 0;
};

/// Joins the call of another rank with `first` in their communicator's collective `ordinal`: the shape becomes that of
/// both, the caller the lower of them. Throws ReplayProblem when the calls do not fit.
void unite(Caller& first, const CollectiveCall& call, trace::Rank rank, std::uint64_t action, std::uint64_t ordinal);

/// The k-th collective of a communicator, for all its members in one process.
struct CollectiveInstance {
  Caller first;              ///< the lowest of those who have come; the shape grows with each member's
  std::uint64_t ordinal = 0; ///< k
  Snapshot latest;           ///< of all arrivals so far
  std::uint32_t arrived = 0;
  std::uint32_t to_leave = 0;
  std::uint64_t in_flight = 0; ///< messages of a scheduled collective on their way
  bool gathered = false;       ///< all members in this process have come
  // Once all members have come:
  bool complete = false;
  bool left = false; ///< by somebody
  CollectiveCost cost;
  std::uint32_t row = 0;
  double overhead = 0; ///< of the cost's messages, as far as it is the same in all lanes: seconds
};

/// Matches collectives: the k-th call of a member on a communicator belongs to the communicator's k-th collective.
///
/// An instance lives from the first member that comes, or the first message of it, until the last member in this
/// process has left; then another may have its number. References to instances stay valid.
class CollectiveMatching {
public:
  CollectiveMatching(const Communicators& communicators, RankRange local_ranks)
      : communicators_(communicators), local_ranks_(local_ranks), orders_(communicators.size()) {}

  CollectiveInstance& operator[](std::uint32_t number) { return matching_[number]; }
  const CollectiveInstance& operator[](std::uint32_t number) const { return matching_[number]; }

  /// Notes that a member comes to its next collective; returns the collective's number. The caller adds the member's
  /// time to `latest`. Throws ReplayProblem when the members' calls do not fit.
  std::uint32_t arrive(const CollectiveCall& call, trace::Rank rank, std::uint64_t action);
  /// Returns the collective, for a message that comes before or after the members in this process. Throws
  /// Error(invalid_input) when they have all left.
  std::uint32_t expect(trace::CommunicatorId communicator, std::uint64_t ordinal);
  /// Returns the number of collectives that live.
  std::size_t under_way() const { return under_way_; }
  /// Returns the members in this process, numbered from its first rank.
  const std::vector<std::uint32_t>& members(trace::CommunicatorId communicator) { return order(communicator).here; }
  /// Notes that a member has its result; the last one to leave ends the collective. Throws Error(invalid_input) when
  /// messages are left over then.
  void leave(std::uint32_t number);
  /// Calls visit(collective) for scheduled collectives that some have left and others never came to.
  template <typename Visit>
  void for_each_deserted(Visit&& visit) const {
    for (const Order& order : orders_)
      for (const std::uint32_t number : order.incomplete)
        if (matching_[number].arrived > 0 && matching_[number].first.call.scheduled && matching_[number].left)
          visit(matching_[number]);
  }
  /// Returns how many collectives of the communicator this member has come to.
  std::uint64_t calls(trace::CommunicatorId communicator, std::uint32_t member) const;
  /// Sets how many calls another process says that a member made.
  void set_calls(trace::CommunicatorId communicator, std::uint32_t member, std::uint64_t calls) {
    order(communicator).next[member] = calls;
  }
  /// Calls visit(collective) for those that some members in this process have come to and some have not.
  template <typename Visit>
  void for_each_incomplete(Visit&& visit) const {
    for (const Order& order : orders_)
      for (const std::uint32_t number : order.incomplete)
        if (matching_[number].arrived > 0) visit(matching_[number]);
  }

private:
  /// The collectives of one communicator.
  struct Order {
    std::vector<std::uint32_t> here;              ///< members in this process
    std::vector<std::uint64_t> next;              ///< each member's next ordinal
    std::deque<std::uint32_t> incomplete;         ///< collectives some members have yet to come to, by rising ordinal
    std::uint64_t first_incomplete = 0;           ///< ordinal of the first of these
    std::map<std::uint64_t, std::uint32_t> going; ///< scheduled ones that not all have left, where others share them
  };

  Order& order(trace::CommunicatorId communicator);
  std::uint32_t open(trace::CommunicatorId communicator, std::uint64_t ordinal);

  const Communicators& communicators_;
  RankRange local_ranks_;
  std::vector<Order> orders_;
  std::deque<CollectiveInstance> matching_;
  std::size_t under_way_ = 0;
  FreeNumbers numbers_;
};

} // namespace timeless::replay
