#pragma once

#include "replay/collectives/schedules/step.h"

/// p - 1 rounds, or p, in each of which a member sends to one and receives from one.
///
/// Each gives step `index` of member `me`; false when there are no more.
namespace timeless::replay::schedules {

/// Sends block q of every member to member q; round i with the member whose place differs by the bits of i, when p is a
/// power of 2, else to the i-th member on: (p-1) (a + n/p b). Of the blocks that come in, `first` is where they come
/// from.
bool pairwise_alltoall(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

/// Sends in step i to the i-th member back from the i-th one on, beginning with the member itself: for those that have
/// several such messages on their way together.
bool spread_alltoall(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

/// Does as pairwise_alltoall, always to the i-th member on from the i-th one back.
bool rotating_alltoall(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

/// Sends block r of member r to all others, in the same rounds: (p-1) (a + n/p b).
bool direct_allgather(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

/// Combines block r of all members at member r: (p-1) (a + n/p (b + g)).
bool pairwise_reduce_scatter(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

} // namespace timeless::replay::schedules
