#pragma once

#include <cstdint>

namespace timeless::trace {

/// A process of the run, or its position in a communicator; the context says which.
using Rank = std::int32_t;
using Tag = std::int32_t;
using Bytes = std::uint64_t;

/// Dense number of a communicator in the run. 0 is always MPI_COMM_WORLD.
using CommunicatorId = std::uint32_t;
/// Dense number of a request within its rank; reused after the request has completed.
using RequestId = std::uint32_t;
/// Dense number of a kernel in the run: a segment of code between two MPI calls.
using KernelId = std::uint32_t;
/// Dense number of a region in the run: a part of the program that it has named.
using RegionId = std::uint32_t;
/// Dense number of a caller in the run: a place in the program that a function was called from.
using CallerId = std::uint32_t;

inline constexpr Rank no_rank = -1;
/// The peer of a receive whose source the recorder never learnt (see Action::peer).
inline constexpr Rank any_rank = -2;
/// The peer of a rooted collective over an intercommunicator, at the root itself: the root of the remote group's ranks.
inline constexpr Rank root_of_remote_group = -3;
/// A member of a communicator that belongs to another MPI_COMM_WORLD, and so is no rank of the run.
inline constexpr Rank foreign_rank = -4;
inline constexpr Tag any_tag = -2;
inline constexpr CommunicatorId world_communicator = 0;
inline constexpr CommunicatorId no_communicator = 0xffffffffU;
inline constexpr RequestId no_request = 0xffffffffU;
inline constexpr KernelId no_kernel = 0xffffffffU;
inline constexpr RegionId no_region = 0xffffffffU;
inline constexpr CallerId no_caller = 0xffffffffU;

} // namespace timeless::trace
