#pragma once

#include "trace/check/collective_sizes.h"
#include "trace/check/findings.h"
#include "trace/model/run.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace timeless::trace::checking {

/// One rank's use of one communicator.
struct Membership {
  Rank place = no_rank;    ///< in its group; no_rank when it is no member
  bool remote = false;     ///< its group is Communicator::remote_members
  std::uint64_t calls = 0; ///< collective calls made so far
};

/// Compares the collective calls of a communicator's members, the first of each with the first, and so on.
class Collectives {
public:
  Collectives(const Run& run, CheckReport& report, Findings& findings);

  /// Notes that a rank makes its next collective call on a communicator.
  void enter(Rank rank, std::uint64_t action_number, const Action& action, CommunicatorId communicator,
             Membership& membership);
  /// Returns how many calls the rank is ahead of the slowest member.
  std::uint64_t ahead(CommunicatorId communicator, const Membership& membership) const;

  /// Notes that a member which has made this many calls makes no more, though it should: nobody waits for it from now
  /// on.
  void leave(CommunicatorId communicator, std::uint64_t calls);

  /// Reports calls that not all members have made.
  void finish();

private:
  /// A call, as far as members have made it.
  struct Call {
    ActionKind kind = ActionKind::barrier;
    bool nonblocking = false;
    Rank root = no_rank;
    Rank first_rank = no_rank;
    std::uint64_t first_action = 0;
    std::optional<std::uint64_t> common = {}; ///< a number on which all must agree: a size, or a hash of sizes
    Rank common_rank = no_rank;               ///< who gave it first
    std::uint64_t given = 0;                  ///< sums over hashes of what goes from whom to whom: what the senders say
    std::uint64_t expected = 0;               ///< and what the receivers say
    bool compare_sums = false;
    bool spoilt = false;    ///< its sizes have been reported
    bool truncated = false; ///< some member had too small a buffer, and knows
    std::uint32_t entered = 0;
    std::uint32_t left = 0; ///< members that will never come
  };
  struct State {
    std::deque<Call> calls; ///< not yet made by all
    std::uint64_t first = 0;
    std::uint32_t left = 0;
    bool reported = false; ///< the members disagree on which call comes next: the rest means nothing
  };

  std::uint32_t size(CommunicatorId communicator) const;
  void compare(Call& call, Rank rank, std::uint64_t action_number, const Action& action, CommunicatorId communicator);
  /// Returns in words how a rank's size differs from the one that was given first.
  static std::string difference(const Call& call, Rank rank, std::uint64_t number, const CollectiveSizes& sizes);
  void compare_sizes(Call& call, Rank rank, std::uint64_t action_number, const Action& action,
                     CommunicatorId communicator, const Membership& membership);
  void retire(CommunicatorId communicator);

  const Run& run_;
  CheckReport& report_;
  Findings& findings_;
  std::vector<State> states_;
};

} // namespace timeless::trace::checking
