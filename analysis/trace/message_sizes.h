#pragma once

#include "trace/model/source.h"

#include <cstdint>
#include <span>
#include <vector>

/// How large the messages of a run are. A member's part of a collective counts as one message, whatever the algorithm
/// makes of it.
namespace timeless::analysis {

/// The messages of a run, and those among them that are larger than a limit.
struct LargeMessages {
  std::uint64_t messages = 0;
  std::uint64_t large = 0;
  double bytes = 0; ///< of all messages
  double large_bytes = 0;
  trace::Bytes largest = 0;
};

/// Counts the messages above limits. `node_of_rank`: where ranks with equal numbers share a node, messages between them
/// have `within` as their limit, others `between`; those of collectives the smaller limit that any two ranks have.
/// Reads the whole run once. Throws Error(invalid_input) for a partner that its communicator does not have.
LargeMessages messages_above(const trace::Source& source, std::span<const std::uint32_t> node_of_rank,
                             trace::Bytes within, trace::Bytes between);

/// Returns the largest size of any message.
trace::Bytes largest_message(const trace::Source& source);

/// Returns the sizes, rising, that most messages have and that most bytes travel in: up to `most` of each, without
/// empty ones. Of more than 65,536 sizes those that come first in the run are looked at. Reads the whole run once.
std::vector<trace::Bytes> typical_sizes(const trace::Source& source, std::size_t most);

} // namespace timeless::analysis
