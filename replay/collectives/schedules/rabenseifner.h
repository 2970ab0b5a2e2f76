#pragma once

#include "replay/collectives/schedules/step.h"

/// Rabenseifner's reductions: the buffer in 2^floor(lg p) blocks, a reduce-scatter by recursive halving, then the
/// blocks put together again the same way back.
///
/// Each gives step `index` of member `me`; false when there are no more.
namespace timeless::replay::schedules {

/// Combines for everyone: 2 lg p a + 2 n (p-1)/p b + n (p-1)/p g for p a power of 2; q = 2^floor(lg p) in p's place and
/// 2 (a + n b) + n g more else.
bool rabenseifner_allreduce(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

/// Combines at group.root: as the allreduce, but for a second a + n b where p is no power of 2. Where the root stands
/// aside at first, member 0 gives it its block and its part in the second half.
bool rabenseifner_reduce(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

} // namespace timeless::replay::schedules
