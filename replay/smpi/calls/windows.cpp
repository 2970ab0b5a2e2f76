#include "replay/smpi/calls/windows.h"

#include "replay/smpi/calls/elements.h"

#include <algorithm>

namespace timeless::replay::smpi {

namespace {

using trace::Action;
using trace::ActionKind;

/// SMPI counts openings of a window: PSCW takes from the number that fences add to, and at 0 no transfer is allowed.
/// Programs that mix both come to 0 by right; so many fences before the replay keep the number away from it.
constexpr int fences_ahead = 8;

} // namespace

/// Addresses stand behind a window, no memory: it may be as large as the transfers are.
void Windows::make(trace::CommunicatorId id, MPI_Comm members) {
  const auto size = static_cast<MPI_Aint>(2 * largest_payload);
  MPI_Win win = MPI_WIN_NULL;
  PMPI_Win_create(context_.receive_area, size, 1, MPI_INFO_NULL, members, &win);
  for (int i = 0; i < fences_ahead; ++i)
    PMPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  made_.emplace(id, win);
}

MPI_Win Windows::window_of(const Call& call) const {
  const auto found = made_.find(context_.scan->same_as[call.action.communicator]);
  if (found == made_.end())
    call.invalid("MPI_" + trace::mpi_name(call.action) + " on what is no window, or one that was freed");
  return found->second;
}

MPI_Group Windows::group_of(const Call& call) const {
  const Action& action = call.action;
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(communicators_.of(call).whole, &all);
  std::vector<int> ranks;
  for (const trace::Rank rank : action.ranks)
    ranks.push_back(communicators_.rank(call, rank));
  call.check(PMPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &group));
  return group;
}

/// Creates a window: it exists already; what remains is that its makers tell each other of it, as SMPI's do.
void Windows::collective(const Call& call) {
  const Action& action = call.action;
  switch (action.kind) {
  case ActionKind::win_fence: {
    const bool first = (action.flags & trace::flag_no_precede) != 0;
    return call.check(PMPI_Win_fence(first ? MPI_MODE_NOPRECEDE : 0, window_of(call)));
  }
  case ActionKind::win_free: {
    MPI_Win win = window_of(call);
    made_.erase(context_.scan->same_as[action.communicator]);
    return call.check(PMPI_Win_free(&win));
  }
  default:
    return call.check(PMPI_Allgather(context_.send_area, 8, MPI_BYTE, context_.receive_area, 8, MPI_BYTE,
                                     communicators_.of(call).whole));
  }
}

void Windows::unlock(trace::CommunicatorId id, trace::Rank target) {
  const auto held = locked_.find({id, target});
  if (held == locked_.end()) return;
  if (held->second && target == trace::any_rank) context_.locks[id].unlock_all();
  if (held->second && target != trace::any_rank) context_.locks[id].unlock(target);
  locked_.erase(held);
}

void Windows::epoch(const Call& call) {
  const Action& action = call.action;
  MPI_Win win = window_of(call);
  const trace::CommunicatorId id = context_.scan->same_as[action.communicator];
  const bool asks = (action.flags & trace::flag_no_check) == 0;
  switch (action.kind) {
  case ActionKind::win_post:
    return call.check(PMPI_Win_post(group_of(call), 0, win));
  case ActionKind::win_start:
    return call.check(PMPI_Win_start(group_of(call), 0, win));
  case ActionKind::win_complete:
    return call.check(PMPI_Win_complete(win));
  case ActionKind::win_wait:
  case ActionKind::win_test: // those that found the epoch over
    return call.check(PMPI_Win_wait(win));
  case ActionKind::win_lock:
    if (communicators_.rank(call, action.peer) == MPI_PROC_NULL) return;
    if (asks) context_.locks[id].lock(action.peer, (action.flags & trace::flag_exclusive) != 0);
    locked_[{id, action.peer}] = asks;
    return;
  case ActionKind::win_lock_all:
    if (asks) context_.locks[id].lock_all();
    locked_[{id, trace::any_rank}] = asks;
    return;
  case ActionKind::win_unlock:
    if (communicators_.rank(call, action.peer) == MPI_PROC_NULL) return;
    call.check(PMPI_Win_flush(action.peer, win));
    return unlock(id, action.peer);
  case ActionKind::win_unlock_all:
    call.check(PMPI_Win_flush_all(win));
    return unlock(id, trace::any_rank);
  case ActionKind::win_flush:
    if (communicators_.rank(call, action.peer) == MPI_PROC_NULL) return;
    return call.check(PMPI_Win_flush(action.peer, win));
  case ActionKind::win_flush_local:
    if (communicators_.rank(call, action.peer) == MPI_PROC_NULL) return;
    return call.check(PMPI_Win_flush_local(action.peer, win));
  case ActionKind::win_flush_all:
    return call.check(PMPI_Win_flush_all(win));
  case ActionKind::win_flush_local_all:
    return call.check(PMPI_Win_flush_local_all(win));
  default: // Win_sync
    return;
  }
}

void Windows::transfer(const Call& call, MPI_Request* request) {
  const Action& action = call.action;
  MPI_Win win = window_of(call);
  const int target = communicators_.rank(call, action.peer);
  if (target == MPI_PROC_NULL) return;
  char* own = context_.send_area;
  switch (action.kind) {
  case ActionKind::put: {
    const auto [count, type] = context_.types.elements(action.bytes);
    return call.check(request != nullptr ? PMPI_Rput(own, count, type, target, 0, count, type, win, request)
                                         : PMPI_Put(own, count, type, target, 0, count, type, win));
  }
  case ActionKind::get: {
    const auto [count, type] = context_.types.elements(action.receive_bytes);
    return call.check(request != nullptr ? PMPI_Rget(own, count, type, target, 0, count, type, win, request)
                                         : PMPI_Get(own, count, type, target, 0, count, type, win));
  }
  default:
    return atomic(call, win, request);
  }
}

void Windows::atomic(const Call& call, MPI_Win win, MPI_Request* request) {
  const Action& action = call.action;
  const int target = action.peer;
  char* own = context_.send_area;
  char* result = context_.send_area + largest_payload;
  if (action.kind == ActionKind::compare_and_swap) {
    MPI_Datatype type = context_.types.of(std::max<trace::Bytes>(action.receive_bytes, 1));
    return call.check(PMPI_Compare_and_swap(own, own, result, type, target, 0, win));
  }
  Reduction r = reductions_.of(call);
  // SMPI knows predefined operations only in windows.
  if (!predefined_size(r.element)) r.element = unit_for(std::max(action.bytes, action.receive_bytes));
  r.type = context_.types.of(r.element);
  r.op = r.element == 1 ? MPI_BAND : MPI_SUM;
  if ((action.flags & trace::flag_replace) != 0) r.op = MPI_REPLACE;
  if ((action.flags & trace::flag_no_operation) != 0) r.op = MPI_NO_OP;
  const int count = r.count(std::max(action.bytes, action.receive_bytes));
  if (action.kind == ActionKind::accumulate) {
    return call.check(request != nullptr
                          ? PMPI_Raccumulate(own, count, r.type, target, 0, count, r.type, r.op, win, request)
                          : PMPI_Accumulate(own, count, r.type, target, 0, count, r.type, r.op, win));
  }
  if (action.kind == ActionKind::fetch_and_op)
    return call.check(PMPI_Fetch_and_op(own, result, r.type, target, 0, r.op, win));
  call.check(request != nullptr
                 ? PMPI_Rget_accumulate(own, count, r.type, result, count, r.type, target, 0, count, r.type, r.op, win,
                                        request)
                 : PMPI_Get_accumulate(own, count, r.type, result, count, r.type, target, 0, count, r.type, r.op, win));
}

} // namespace timeless::replay::smpi
