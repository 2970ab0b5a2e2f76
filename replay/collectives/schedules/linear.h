#pragma once

#include "replay/collectives/schedules/step.h"

/// The root, member 0, and every other member by a message of their own, in the communicator's order, where the root is
/// group.root.
///
/// Each gives step `index` of member `me`; false when there are no more. The root's messages leave at once, and it
/// takes what comes one after the other: a + b times the largest block on a network that does not hold them up, (p-1) a
/// + n (p-1)/p b at the port of one that does.
namespace timeless::replay::schedules {

/// Sends block r from member r to the root.
bool linear_gather(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);
/// Sends block r from the root to member r.
bool linear_scatter(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

} // namespace timeless::replay::schedules
