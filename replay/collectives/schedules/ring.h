#pragma once

#include "replay/collectives/schedules/step.h"

namespace timeless::replay::schedules {

/// Sends block r of member r to everyone, each block passed on around the ring: (p-1) a + n (p-1)/p b. Step `index` of
/// member `me`; false when there are no more.
bool ring_allgather(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

} // namespace timeless::replay::schedules
