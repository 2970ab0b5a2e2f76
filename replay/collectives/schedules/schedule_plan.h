#pragma once

#include "replay/collectives/collectives.h"
#include "replay/collectives/schedules/step.h"
#include "trace/model/action.h"

#include <cstdint>
#include <span>
#include <vector>

namespace timeless::replay::schedules {

/// Where a member stands in a communicator. Places count the communicator's members, those of an intercommunicator's
/// first group before those of its second.
struct GroupPosition {
  std::uint32_t base = 0;    ///< the first place of the member's own group
  std::uint32_t members = 1; ///< of that group
  std::uint32_t me = 0;      ///< within that group
  std::uint32_t remote_base = 0;
  std::uint32_t remote_members = 0; ///< of the other group; 0 where there is none
  std::uint32_t root = nobody;      ///< the root's place
};

/// How large the blocks of a phase are.
enum class Layout : std::uint8_t {
  nothing,        ///< empty
  equal,          ///< all of `bytes`
  rounded_up,     ///< `bytes` in `blocks` blocks of ceil(bytes / blocks), the last ones smaller
  whole_elements, ///< `bytes` in `blocks` blocks of as many whole elements as go into each, the last one with the rest
  listed,         ///< by the call's counts: `counts` of what goes out, `receive_counts` of what comes in
};

/// One algorithm over some of the members, as one of these sees it.
struct Phase {
  bool (*step)(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) = nullptr;
  Group group;
  std::uint32_t me = 0;       ///< this member's number in the group
  std::uint32_t base = 0;     ///< place of the group's first member
  std::uint32_t rotation = 0; ///< number r stands for place base + (r + rotation) modulo the group's members
  Layout layout = Layout::nothing;
  bool arithmetic = true;   ///< reducing takes time
  bool skips_empty = false; ///< nothing is sent where there is nothing to send
  bool skips_own = false;   ///< nor to the member itself
  bool nonblocking = false; ///< what its steps send is completed when there are no more steps
  std::uint32_t blocks = 1;
  std::uint32_t element_bytes = 1;
  double bytes = 0;
  double bytes_in = 0; ///< of Layout::equal, where what comes in is of another size
};

inline constexpr std::uint32_t all_together = 0xffffffffU;

/// What one member does in a collective: its phases, one after the other. The lists are the action's.
struct SchedulePlan {
  std::vector<Phase> phases;
  std::span<const trace::Bytes> counts;
  std::span<const trace::Bytes> receive_counts;
  /// Neighbours: whom this member receives from, and sends to.
  std::span<const trace::Rank> sources;
  std::span<const trace::Rank> destinations;
  bool neighbours = false;
  /// How many of its steps a member has on their way together: it posts all their receives, sends all they send, and
  /// completes all at once.
  std::uint32_t together = 1;
  /// The same for all members that have chosen the same algorithm.
  std::uint32_t algorithm = 0;
};

/// By which call a step sends.
enum class Sending : std::uint8_t {
  exchange, ///< Sendrecv, also where one of its halves is missing
  blocking, ///< Send
  together, ///< Isend, completed with others
};

/// A member sends `bytes`, then receives `expected`; either may be missing. Then it does the arithmetic of
/// `reduced_bytes`. Places are of the communicator.
struct Transfer {
  std::uint32_t to = nobody;
  double bytes = 0;
  std::uint32_t from = nobody;
  double expected = 0;
  double reduced_bytes = 0;
  Sending sending = Sending::exchange;
};

/// How far a member has come.
struct Cursor {
  std::uint32_t phase = 0;
  std::uint32_t index = 0;
};

/// Returns the schedule of a collective or a communicator's creation, as MPICH would choose it from what this member
/// knows: a call of a whole program has the same algorithm at all its members. `action` is read as one of `shape.kind`;
/// its lists must outlive the plan. A neighbourhood collective lists its sources, then its destinations, as `ranks`;
/// its tag is one more than the number of sources, and 0 where neighbours are unknown.
SchedulePlan plan(const CollectiveShape& shape, const trace::Action& action, const GroupPosition& place);

/// Stores the next transfer and moves the cursor behind it; returns false at the end. Passes over steps without a
/// transfer, but not among steps that are on their way together: there each counts.
bool next(const SchedulePlan& plan, Cursor& cursor, Transfer& transfer);

} // namespace timeless::replay::schedules
