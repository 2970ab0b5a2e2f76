#pragma once

#include "trace/formats/goal/schedule.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace timeless::trace::formats::goal {

/// In which order each rank carries its operations out, by number.
struct Ordering {
  std::vector<std::vector<std::uint32_t>> operations; ///< by rank
  bool complete = true;                               ///< false: some messages have no other end
};

/// Orders the operations of all ranks so that none waits for what comes after it: as they begin when messages take no
/// time but come after those that they need, a rank carries out one calculation at a time, and messages end when both
/// ends have begun. Only where nothing goes on otherwise do sends end alone, as short ones may.
///
/// Gives receives that take what comes the source and the tag of what comes in this order. Calls `carried_out`, if
/// given, after each operation. Throws Error(invalid_input) for dependencies that go in a circle.
Ordering order(Schedules& schedules, const std::function<void()>& carried_out = {});

} // namespace timeless::trace::formats::goal
