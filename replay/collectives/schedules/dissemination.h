#pragma once

#include "replay/collectives/schedules/step.h"

namespace timeless::replay::schedules {

/// Synchronizes by dissemination: in step i of ceil(lg p), member r sends to member r + 2^i mod p.
bool dissemination(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

} // namespace timeless::replay::schedules
