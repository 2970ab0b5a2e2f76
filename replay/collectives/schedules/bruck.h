#pragma once

#include "replay/collectives/schedules/step.h"

/// Bruck's algorithms: ceil(lg p) steps for any p, in which the distance doubles.
///
/// Each gives step `index` of member `me`; false when there are no more.
namespace timeless::replay::schedules {

/// Sends block r of member r to everyone: ceil(lg p) a + n (p-1)/p b.
bool bruck_allgather(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

/// Sends a block of every member to every member. A block on its way lies at how far it has to go in all; step i takes
/// all with bit i set 2^i places on. `first` of its blocks is 2^i, `count` how many there are with that bit: ceil(lg p)
/// a + n/2 lg p b for p a power of 2, fewer bytes else.
bool bruck_alltoall(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

} // namespace timeless::replay::schedules
