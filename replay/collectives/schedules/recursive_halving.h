#pragma once

#include "replay/collectives/schedules/step.h"

namespace timeless::replay::schedules {

/// Combines block r of all members at member r: in each step a member gives the half that it will not keep to the
/// partner that keeps it. lg p a + n (p-1)/p (b + g) for p a power of 2; else folded, with a + n b + n g before and the
/// message of a block after it. Step `index` of member `me`; false when there are no more.
bool halving_reduce_scatter(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

} // namespace timeless::replay::schedules
