#pragma once

#include "trace/ids.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace timeless::trace {

/// What one rank did once. The list, with the codes the archive stores, is action_kinds.def.
enum class ActionKind : std::uint8_t {
#define ACTION_KIND(code, name, family, mpi_name) name = code,
#include "trace/action_kinds.def"
#undef ACTION_KIND
};

/// How a replay treats a kind.
enum class ActionFamily : std::uint8_t {
  computation,    ///< instructions (or nanoseconds) between two MPI calls
  point_to_point, ///< sends, receives, probes
  completion,     ///< completes the requests it lists
  request,        ///< says something of one request without completing it
  collective,     ///< all members of the communicator meet
  communicator,   ///< creates or frees a communicator, collectively over its parent
  lifecycle,      ///< the end of the rank's MPI
};

enum class SendMode : std::uint8_t { standard = 0, buffered = 1, synchronous = 2, ready = 3 };

/// Flags of an Action, or-ed together.
enum ActionFlag : std::uint16_t {
  flag_persistent = 1U << 0,     ///< started from a persistent request (MPI_Start, MPI_Startall)
  flag_matched = 1U << 1,        ///< a matched probe or matched receive (MPI_Mprobe, MPI_Mrecv)
  flag_in_place = 1U << 2,       ///< the caller passed MPI_IN_PLACE
  flag_user_operation = 1U << 3, ///< a reduction by a user-defined operation
  flag_noncommutative = 1U << 4, ///< a reduction whose operation does not commute
  flag_wildcard = 1U << 5,       ///< the program asked for MPI_ANY_SOURCE or MPI_ANY_TAG; peer and tag hold what came
};

/// One action of one rank, without its volume: the volume of a compute action travels beside it (see ActionBlock).
///
/// Sizes are bytes; ranks are of the action's communicator (for an intercommunicator: of the remote group).
/// Fields that a kind does not use keep their defaults.
///
///   kind                       fields
///   compute                    kernel
///   send                       communicator, peer (destination), tag, bytes, mode; request when nonblocking
///   receive                    communicator, peer (source), tag, bytes (received, or the buffer's size while that is
///                              unknown); request when nonblocking
///   exchange, exchange_replace send half as send, receive half in receive_peer, receive_tag, receive_bytes; a half
///                              whose partner is MPI_PROC_NULL has no_rank
///   probe, poll (successful)   communicator, peer, tag, bytes
///   completions                requests: those the call completed, in the order the call returned them
///   cancelled, request_free    request
///   resolved                   request, communicator, peer, tag, bytes: what an any_rank receive has received
///   barrier                    communicator
///   broadcast                  communicator, peer (root), bytes (the buffer)
///   reduce                     communicator, peer (root), bytes (the buffer), element_bytes
///   allreduce, scan, exscan    communicator, bytes (the buffer), element_bytes
///   gather                     communicator, peer (root), bytes (this rank's part), receive_bytes (at the root, from
///   each rank) scatter                    communicator, peer (root), bytes (at the root, to each rank), receive_bytes
///   (this rank's part) allgather                  communicator, bytes (this rank's part), receive_bytes (from each
///   rank) alltoall                   communicator, bytes (to each rank), receive_bytes (from each rank) gatherv
///   communicator, peer (root), bytes (this rank's part), receive_counts (at the root) scatterv communicator, peer
///   (root), counts (at the root), receive_bytes (this rank's part) allgatherv                 communicator, bytes
///   (this rank's part), receive_counts (of every rank) alltoallv, alltoallw       communicator, counts (to every
///   rank), receive_counts (from every rank) reduce_scatter             communicator, counts (every rank's result),
///   element_bytes reduce_scatter_block       communicator, bytes (one rank's result), element_bytes neighbor_* as
///   their namesakes, counts over the neighbours communicator creation      communicator (the parent), new_communicator
///   (no_communicator when this rank got none) comm_free, comm_disconnect communicator
///
/// A nonblocking collective or communicator creation carries its request. In a gathered run the counts of rank i are
/// indexed by rank in the communicator.
struct Action {
  ActionKind kind = ActionKind::compute;
  SendMode mode = SendMode::standard;
  std::uint16_t flags = 0;
  CommunicatorId communicator = world_communicator;
  /// Destination, source or root. any_rank only on a nonblocking wildcard receive whose source was not yet known when
  /// its block had to be written; a resolved action with its request then comes before the completion.
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
  std::span<const RequestId> requests = {};
  std::span<const Bytes> counts = {};
  std::span<const Bytes> receive_counts = {};
};

bool operator==(const Action& left, const Action& right);

/// The kind with this archive code, or nothing if no such kind exists.
std::optional<ActionKind> action_kind(std::uint8_t code);
ActionFamily family(ActionKind kind);
/// The kind's own name, as in action_kinds.def: "wait_all".
std::string_view name(ActionKind kind);
/// The MPI call's name without "MPI_": "Isend", "Ssend", "Iallreduce", "Waitall"; "compute" for a computation.
std::string mpi_name(const Action& action);

/// True when the action returns before it has finished, and some completion names its request.
inline bool nonblocking(const Action& action) {
  const ActionFamily of = family(action.kind);
  return action.request != no_request && of != ActionFamily::request && of != ActionFamily::completion;
}

} // namespace timeless::trace
