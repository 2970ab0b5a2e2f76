#pragma once

#include "replay/network/network.h"
#include "replay/options/options.h"
#include "trace/model/action.h"

#include <cstdint>

namespace timeless::replay {

/// What a collective costs, as multiples of a link's parameters: messages * latency + bytes * byte_time, then
/// reduced_bytes * reduction_byte_time of arithmetic, and the processors' overheads of messages.
struct CollectiveCost {
  double messages = 0; ///< one after the other
  double bytes = 0;    ///< one after the other
  double reduced_bytes = 0;
  double message_bytes = -1; ///< the size at which a message costs what it does; below 0: bytes / messages
  // How often what comes last waits for a processor's overhead of a message of that size:
  double sends = 0;
  double nonblocking_sends = 0;
  double receives = 0;
  bool operator==(const CollectiveCost&) const = default;

  double message_size() const {
    if (message_bytes >= 0) return message_bytes;
    return messages > 0 ? bytes / messages : bytes;
  }
};

/// Returns the size of a message that is no whole number of bytes, and never beyond what an integer holds.
inline Bytes whole_bytes(double bytes) {
  return bytes < 0x1p63 ? static_cast<Bytes>(bytes) : Bytes{1} << 63U;
}

/// What the cost of a collective depends on.
struct CollectiveShape {
  trace::ActionKind kind = trace::ActionKind::barrier;
  std::uint32_t members = 1; ///< of both groups of an intercommunicator
  /// Of an intercommunicator: the members of the larger group that has something to do among itself. 0: no such one.
  std::uint32_t group = 0;
  /// The table's n: what it means for each kind stands in docs/model.md. Whole bytes, as a double so that hostile sums
  /// cannot wrap.
  double bytes = 0;
  std::uint32_t element_bytes = 0; ///< 0: unknown, elements count as bytes
  bool user_operation = false;
  bool commutative = true;
  /// Within one group, in place of the one that the library takes at this size; where the call can follow it at all.
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::of_the_library;
  MpiLibrary library = {};
};

/// Returns the n that this member knows of; the collective's is the largest of its members'. `peers`: those that counts
/// and ranks in the action stand for, of an intercommunicator the other group.
double cost_bytes(const trace::Action& action, std::uint32_t members, std::uint32_t peers);
inline double cost_bytes(const trace::Action& action, std::uint32_t members) {
  return cost_bytes(action, members, members);
}

/// Returns the cost of a collective, or of a communicator's creation. Collectives that only one member calls cost
/// nothing.
CollectiveCost collective_cost(CollectiveModel model, const CollectiveShape& shape);

} // namespace timeless::replay
