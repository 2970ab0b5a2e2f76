#pragma once

#include "replay/collectives/schedules/step.h"

/// In step i, members whose places differ in bit i alone exchange what they have.
///
/// Each gives step `index` of member `me`; false when there are no more.
namespace timeless::replay::schedules {

/// Combines all members' only block for everyone: lg p (a + n b + n g) for p a power of 2; else folded, with 2 (a + n
/// b) and n g more on top of floor(lg p) such steps.
bool doubling_allreduce(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

/// Sends block r of member r to everyone: lg p a + n (p-1)/p b. p is a power of 2.
bool doubling_allgather(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

/// Combines block r of all members, in their order, at member r: lg p a + n (lg p - (p-1)/p) (b + g) for p a power of
/// 2; else folded, with a + n b + n g before and the message of a block after it.
bool doubling_reduce_scatter(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

} // namespace timeless::replay::schedules
