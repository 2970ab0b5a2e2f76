#pragma once

#include "replay/collectives/schedules/step.h"

namespace timeless::replay::schedules {

/// Combines the only block of members 0 to r at member r: recursive doubling among those whose partners exist, lg p (a
/// + n b + n g) for p a power of 2. A member adds what comes from below it to its result as well as to what it passes
/// on; like the cost table, a step counts one addition. Step `index` of member `me`; false when there are no more.
bool doubling_scan(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

} // namespace timeless::replay::schedules
