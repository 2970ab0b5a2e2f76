#pragma once

#include "trace/model/action_kind.h"
#include "trace/model/ids.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace timeless::trace {

/// The modes of MPI sends.
enum class SendMode : std::uint8_t { standard = 0, buffered = 1, synchronous = 2, ready = 3 };

/// Flags of an Action, or-ed together.
enum ActionFlag : std::uint16_t {
  flag_persistent = 1U << 0,     ///< started from a persistent request (MPI_Start, MPI_Startall)
  flag_matched = 1U << 1,        ///< a matched probe or matched receive (MPI_Mprobe, MPI_Mrecv)
  flag_in_place = 1U << 2,       ///< the caller passed MPI_IN_PLACE
  flag_user_operation = 1U << 3, ///< a reduction by a user-defined operation
  flag_noncommutative = 1U << 4, ///< a reduction whose operation does not commute
  flag_wildcard = 1U << 5,       ///< the program asked for MPI_ANY_SOURCE or MPI_ANY_TAG; peer and tag hold what came
  flag_exclusive = 1U << 6,      ///< MPI_LOCK_EXCLUSIVE
  flag_no_check = 1U << 7,       ///< MPI_MODE_NOCHECK
  flag_no_precede = 1U << 8,     ///< MPI_MODE_NOPRECEDE: the fence completes nothing
  flag_no_succeed = 1U << 9,     ///< MPI_MODE_NOSUCCEED: no transfer follows the fence
  flag_replace = 1U << 10,       ///< MPI_REPLACE: what comes to the target takes the place of what was there
  flag_no_operation = 1U << 11,  ///< MPI_NO_OP: nothing goes to the target, what is there is read
  flag_truncated = 1U << 12,     ///< a collective to which more came than its buffers hold (MPI_ERR_TRUNCATE)
};

/// One action of one rank, without its volume: the volume of a compute action travels beside it (see ActionBlock).
///
/// Sizes are bytes; ranks are of the action's communicator (for an intercommunicator: of the remote group).
/// Fields that a kind does not use keep their defaults.
///
///   kind                       fields
///   compute                    kernel
///   workers_sum                kernel; the volume is what all worker threads did during the burst before it
///   workers_maximum            kernel; the volume is the largest of the worker threads' in that burst
///   send                       communicator, peer (destination), tag, bytes, mode; request when nonblocking
///   receive                    communicator, peer (source), tag, bytes (received, or the buffer's size while that is
///                              unknown); request when nonblocking
///   exchange, exchange_replace send half as send, receive half in receive_peer, receive_tag, receive_bytes; a half
///                              whose partner is MPI_PROC_NULL has no_rank
///   probe, poll (successful)   communicator, peer, tag, bytes
///   completions                requests: those the call completed, in the order the call returned them
///   cancelled, request_free    request
///   resolved                   request, communicator, peer, tag, bytes: what a wildcard receive has received
///   grequest_start             request
///   grequest_complete          requests (one): now its completion need not wait any more
///   barrier                    communicator
///   broadcast                  communicator, peer (root), bytes (the buffer)
///   reduce                     communicator, peer (root), bytes (the buffer), element_bytes
///   allreduce, scan, exscan    communicator, bytes (the buffer), element_bytes
///   gather                     communicator, peer (root), bytes (this rank's part), receive_bytes (at the root, from
///                              each rank)
///   scatter                    communicator, peer (root), bytes (at the root, to each rank), receive_bytes (this
///                              rank's part)
///   allgather                  communicator, bytes (this rank's part), receive_bytes (from each rank)
///   alltoall                   communicator, bytes (to each rank), receive_bytes (from each rank)
///   gatherv                    communicator, peer (root), bytes (this rank's part), receive_counts (at the root)
///   scatterv                   communicator, peer (root), counts (at the root), receive_bytes (this rank's part)
///   allgatherv                 communicator, bytes (this rank's part), receive_counts (of every rank)
///   alltoallv, alltoallw       communicator, counts (to every rank), receive_counts (from every rank)
///   reduce_scatter             communicator, counts (every rank's result), element_bytes
///   reduce_scatter_block       communicator, bytes (one rank's result), element_bytes
///   neighbor_*                 as their namesakes, counts over the neighbours; tag: 1 + number of sources; and ranks:
///                              the sources, then the destinations; tag 0 where the neighbours are not known
///   communicator creation      communicator (the parent), new_communicator (no_communicator when this rank got none)
///   comm_free, comm_disconnect communicator
///   comm_spawn, ...            communicator (whose members make the call), peer (root), new_communicator (the
///                              intercommunicator), counts (of a spawn: processes asked for, per command)
///   window creation            communicator, new_communicator (the window's own), bytes (exposed by this rank)
///   other window calls         communicator (the window's); of a fence, the flags of its assertions
///   put, accumulate            communicator (the window's), peer (target), bytes; element_bytes of an accumulate
///   get                        communicator (the window's), peer (target), receive_bytes
///   get_accumulate, fetch_and_op
///                              communicator (the window's), peer (target), bytes (to it), receive_bytes (from it),
///                              element_bytes
///   compare_and_swap           communicator (the window's), peer (target), bytes (to it: both values), receive_bytes
///   win_post, win_start        communicator (the window's), ranks: the group's, of the window's communicator
///   win_lock, win_unlock, win_flush, win_flush_local
///                              communicator (the window's), peer (target)
///   other epoch calls          communicator (the window's)
///   file_open                  communicator, new_communicator (the file's own)
///   other file calls           communicator (the file's); bytes written, receive_bytes read: of a nonblocking or split
///                              call those asked for, else those moved; of file_set_size and file_preallocate, bytes
///   region_begin, region_end   region
///   thread                     peer: the number of the thread, of those that call MPI, whose actions follow
///   thread_signal              peer: the number of a point where the rank's threads synchronise
///   thread_await               peer: the same
///
/// The actions of a rank with several threads are in an order in which they could have happened: a request starts
/// before another thread completes it. The first are those of thread 0. Only the actions of one thread follow each
/// other: a thread goes on after a thread_await once all thread_signals of that number that stand before it in the
/// rank's sequence have been passed by their threads, so that a thread's first action may await its creation, and a
/// join, a barrier or the end of a parallel region awaits the others. A number may serve again. The numbers of threads
/// that have ended are not given to others; recordings made before 2026-12 may do so.
///
/// A window and a file have a communicator of their own, with the group of the one they were made on: it says who
/// shares them, and tells them apart.
///
/// A nonblocking collective or communicator creation carries its request. In a gathered run the counts of rank i are
/// indexed by rank in the communicator.
struct Action {
  ActionKind kind = ActionKind::compute;
  SendMode mode = SendMode::standard;
  std::uint16_t flags = 0;
  CommunicatorId communicator = world_communicator;
  /// Destination, source or root. any_rank, like a tag of any_tag, only on a nonblocking wildcard receive that was not
  /// yet known when its block had to be written; a resolved action with its request then comes before the completion.
  Rank peer = no_rank;
  Tag tag = 0;
  Bytes bytes = 0;
  Rank receive_peer = no_rank;
  Tag receive_tag = 0;
  Bytes receive_bytes = 0;
  std::uint32_t element_bytes = 0;
  RequestId request = no_request;
  KernelId kernel = no_kernel;
  CommunicatorId new_communicator = no_communicator;
  RegionId region = no_region;
  std::span<const RequestId> requests = {};
  std::span<const Bytes> counts = {};
  std::span<const Bytes> receive_counts = {};
  std::span<const Rank> ranks = {};
};

/// An action begins with all its fields but the lists, without padding between them: to compare and hash as bytes.
inline constexpr std::size_t plain_action_bytes = offsetof(Action, region) + sizeof(RegionId);
static_assert(plain_action_bytes == 60 && std::is_trivially_copyable_v<Action>);

bool operator==(const Action& left, const Action& right);

/// Returns the kind with this archive code, or nothing if no such kind exists.
std::optional<ActionKind> action_kind(std::uint8_t code);
/// Returns the MPI call's name without "MPI_": "Isend", "Ssend", "Iallreduce", "Waitall"; "compute" for a computation.
std::string mpi_name(const Action& action);

/// Returns true when the action returns before it has finished, and some completion names its request.
constexpr bool nonblocking(const Action& action) {
  return action.request != no_request && traits(action.kind).requests == RequestUse::begins;
}

/// Returns true for a receive from somebody of which the source or the tag is missing.
constexpr bool lacks_source(const Action& action) {
  return action.kind == ActionKind::receive && action.peer != no_rank &&
         (action.peer == any_rank || action.tag == any_tag);
}

/// Returns the communicator whose members call to create one: the new one if its members alone create it, nothing when
/// this rank is none of them; else its parent.
constexpr std::optional<CommunicatorId> creating_communicator(const Action& creation) {
  if (!traits(creation.kind).by_new_members) return creation.communicator;
  if (creation.new_communicator == no_communicator) return std::nullopt;
  return creation.new_communicator;
}

} // namespace timeless::trace
