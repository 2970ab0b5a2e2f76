#pragma once

#include "replay/collectives/schedules/step.h"

/// Messages between the two groups of an intercommunicator, or between two members.
///
/// Each gives step `index` of member `me`; false when there are no more.
namespace timeless::replay::schedules {

/// Sends a message from number 0 to number 1.
bool link(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

/// Sends a message each way between numbers 0 and 1.
bool swap(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

/// Sends from everyone of a group to everyone of the other: group.members are the others, group.root as many rounds as
/// there are.
bool rounds_between_groups(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

/// Sends a message to everyone of the other group.
bool to_all(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

/// Receives a message from everyone of the other group.
bool from_all(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

/// Sends a message to number 0 of the other group.
bool to_first(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

/// Receives a message from number 0 of the other group.
bool from_first(const Group& group, std::uint32_t me, std::uint32_t index, Step& step);

} // namespace timeless::replay::schedules
