#pragma once

#include "replay/collectives/schedules/step.h"

namespace timeless::replay::schedules {

/// In step i everyone tells the member 2^i places on that it, and all it heard of, have come: ceil(lg p) a.
bool dissemination(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

} // namespace timeless::replay::schedules
