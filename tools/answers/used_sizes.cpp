#include "tools/answers/used_sizes.h"

#include "trace/action_questions.h"
#include "trace/collective_bytes.h"

namespace timeless::tools {

namespace {

using trace::Action;
using trace::ActionFamily;
using trace::ActionKind;

UsedSizes of_collective(const Action& action, const trace::Run& run, trace::Rank rank) {
  // Of the group whose member is the root the others stand aside, and the root only gives or only gets.
  if (rooted(action.kind) && action.peer == trace::no_rank) return {};
  const bool root = is_root(action, run.communicators.at(action.communicator), rank);
  const bool outside = action.peer == trace::root_of_remote_group;
  switch (action.kind) {
  case ActionKind::gather:
    return {.bytes = !outside, .receive_bytes = root};
  case ActionKind::gatherv:
    return {.bytes = !outside};
  case ActionKind::scatter:
    return {.bytes = root, .receive_bytes = !outside};
  case ActionKind::scatterv:
    return {.receive_bytes = !outside};
  case ActionKind::allgather:
  case ActionKind::alltoall:
  case ActionKind::neighbor_allgather:
  case ActionKind::neighbor_alltoall:
    return {.bytes = true, .receive_bytes = true};
  case ActionKind::broadcast:
  case ActionKind::reduce:
  case ActionKind::allreduce:
  case ActionKind::scan:
  case ActionKind::exscan:
  case ActionKind::reduce_scatter_block:
  case ActionKind::allgatherv:
  case ActionKind::neighbor_allgatherv:
    return {.bytes = true};
  default:
    return {}; // barriers, and what lists its sizes
  }
}

UsedSizes of_file(ActionKind kind) {
  switch (kind) {
  case ActionKind::file_set_size:
  case ActionKind::file_preallocate:
  case ActionKind::file_write:
  case ActionKind::file_write_at:
  case ActionKind::file_write_shared:
  case ActionKind::file_write_all:
  case ActionKind::file_write_at_all:
  case ActionKind::file_write_ordered:
  case ActionKind::file_write_all_begin:
  case ActionKind::file_write_at_all_begin:
  case ActionKind::file_write_ordered_begin:
    return {.bytes = true};
  case ActionKind::file_read:
  case ActionKind::file_read_at:
  case ActionKind::file_read_shared:
  case ActionKind::file_read_all:
  case ActionKind::file_read_at_all:
  case ActionKind::file_read_ordered:
  case ActionKind::file_read_all_begin:
  case ActionKind::file_read_at_all_begin:
  case ActionKind::file_read_ordered_begin:
    return {.receive_bytes = true};
  default:
    return {};
  }
}

UsedSizes of_one_sided(ActionKind kind) {
  return {.bytes = kind != ActionKind::get, .receive_bytes = kind != ActionKind::put && kind != ActionKind::accumulate};
}

} // namespace

UsedSizes used_sizes(const Action& action, const trace::Run& run, trace::Rank rank) {
  const bool exchange = action.kind == ActionKind::exchange || action.kind == ActionKind::exchange_replace;
  const bool exposes = action.kind == ActionKind::win_create || action.kind == ActionKind::win_allocate ||
                       action.kind == ActionKind::win_allocate_shared;
  switch (family(action.kind)) {
  case ActionFamily::point_to_point:
    return {.bytes = true, .receive_bytes = exchange};
  case ActionFamily::request:
    return {.bytes = action.kind == ActionKind::resolved};
  case ActionFamily::collective:
    return of_collective(action, run, rank);
  case ActionFamily::window:
    return {.bytes = exposes};
  case ActionFamily::one_sided:
    return of_one_sided(action.kind);
  case ActionFamily::file:
  case ActionFamily::file_collective:
    return of_file(action.kind);
  default:
    return {};
  }
}

} // namespace timeless::tools
