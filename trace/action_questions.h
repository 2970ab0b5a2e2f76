#pragma once

#include "trace/action.h"

#include <optional>

namespace timeless::trace {

/// A collective with a root: the action's peer.
constexpr bool rooted(ActionKind kind) {
  switch (kind) {
  case ActionKind::broadcast:
  case ActionKind::reduce:
  case ActionKind::gather:
  case ActionKind::gatherv:
  case ActionKind::scatter:
  case ActionKind::scatterv:
    return true;
  default:
    return false;
  }
}

/// Neighbor_allgather and its kin.
constexpr bool neighbourhood(ActionKind kind) {
  return kind >= ActionKind::neighbor_allgather && kind <= ActionKind::neighbor_alltoallw;
}

/// A receive from somebody of which the source or the tag is missing.
inline bool lacks_source(const Action& action) {
  return action.kind == ActionKind::receive && action.peer != no_rank &&
         (action.peer == any_rank || action.tag == any_tag);
}

/// Begins a split collective call on a file: File_read_all_begin and its kin.
constexpr bool begins_split_call(ActionKind kind) {
  switch (kind) {
  case ActionKind::file_read_all_begin:
  case ActionKind::file_write_all_begin:
  case ActionKind::file_read_at_all_begin:
  case ActionKind::file_write_at_all_begin:
  case ActionKind::file_read_ordered_begin:
  case ActionKind::file_write_ordered_begin:
    return true;
  default:
    return false;
  }
}

/// And ends it.
constexpr bool ends_split_call(ActionKind kind) {
  switch (kind) {
  case ActionKind::file_read_all_end:
  case ActionKind::file_write_all_end:
  case ActionKind::file_read_at_all_end:
  case ActionKind::file_write_at_all_end:
  case ActionKind::file_read_ordered_end:
  case ActionKind::file_write_ordered_end:
    return true;
  default:
    return false;
  }
}

/// A collective call on a file that only settles how it is used: no byte moves.
constexpr bool settles_file(ActionKind kind) {
  return kind == ActionKind::file_set_view || kind == ActionKind::file_set_info ||
         kind == ActionKind::file_set_atomicity || kind == ActionKind::file_seek_shared;
}

/// Where those meet who make a communicator: on the new one if its members alone make it, nowhere when this rank is
/// none of them; else on its parent.
inline std::optional<CommunicatorId> meeting_place(const Action& creation) {
  const bool by_new_members =
      creation.kind == ActionKind::comm_create_group || creation.kind == ActionKind::intercomm_create;
  if (!by_new_members) return creation.communicator;
  if (creation.new_communicator == no_communicator) return std::nullopt;
  return creation.new_communicator;
}

} // namespace timeless::trace
