#pragma once

#include <cstdint>

namespace timeless::trace {

/// When a rank entered and left an action, in nanoseconds since the end of its MPI_Init. Measured, and therefore of
/// one machine and one run: only comparisons with a prediction, and replays that ask for the recorded start of each
/// rank, may use it.
struct ActionTimes {
  std::uint64_t entry = 0;
  std::uint64_t exit = 0; ///< never before entry
  bool operator==(const ActionTimes&) const = default;
};

} // namespace timeless::trace
