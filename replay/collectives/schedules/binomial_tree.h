#pragma once

#include "replay/collectives/schedules/step.h"

/// Trees in which member r's parent is r without its lowest bit. Member 0 is the root.
///
/// Each gives step `index` of member `me`; false when there are no more.
namespace timeless::replay::schedules {

/// Sends the root's only block to all: ceil(lg p) (a + n b) for p a power of 2; a + n b for each bit of a member's
/// place.
bool binomial_broadcast(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);
/// Combines all members' only block at the root: as the broadcast, with n g for each step.
bool binomial_reduce(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);
/// Sends block r to member r: ceil(lg p) a + n (p-1)/p b for p a power of 2.
bool binomial_scatter(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);
/// Does the same, the smallest subtrees first: the last message of each is delayed by those before it.
bool binomial_scatter_small_first(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);
/// Sends block r from member r to the root: as the scatter.
bool binomial_gather(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

} // namespace timeless::replay::schedules
