#pragma once

#include "trace/source.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace timeless::replay::smpi {

/// What a later action says of a nonblocking one.
struct Amendment {
  bool cancelled = false; ///< it never happened
  /// What a receive from any source received: peer, tag, bytes.
  bool resolved = false;
  trace::Rank peer = trace::no_rank;
  trace::Tag tag = 0;
  trace::Bytes bytes = 0;
};

/// What must be known of a run before its first action is replayed.
struct TraceScan {
  std::uint64_t actions = 0;
  std::vector<bool> communicator_used; ///< by CommunicatorId
  /// By rank, and by the ordinal of the nonblocking action within the rank.
  std::vector<std::unordered_map<std::uint64_t, Amendment>> amendments;
};

/// Reads the whole run once. Throws Error(missing_capability) naming all that SMPI cannot replay, Error(invalid_input)
/// for missing ranks and for communicators that the run does not define.
TraceScan scan(const trace::Source& source);

} // namespace timeless::replay::smpi
