#include "replay/smpi/rank_player.h"

#include "replay/smpi/elements.h"

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
void RankPlayer::make_window(trace::CommunicatorId id, const Circle& circle) {
  const auto size = static_cast<MPI_Aint>(2 * largest_payload);
  MPI_Win win = MPI_WIN_NULL;
  PMPI_Win_create(stage_.receive_area, size, 1, MPI_INFO_NULL, circle.whole, &win);
  for (int i = 0; i < fences_ahead; ++i)
    PMPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  own_->windows.emplace(id, win);
}

MPI_Win RankPlayer::window_of(const Action& action) const {
  const auto found = own_->windows.find(stage_.scan->same_as[action.communicator]);
  if (found == own_->windows.end())
    fail({Failure::invalid_input, "MPI_" + trace::mpi_name(action) + " on what is no window, or one that was freed",
          position(), "timeless check finds what is wrong with a trace"});
  return found->second;
}

MPI_Group RankPlayer::group_of(const Action& action) const {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(communicator(action.communicator), &all);
  std::vector<int> ranks;
  for (const trace::Rank rank : action.ranks)
    ranks.push_back(place(action, rank));
  check(PMPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &group), action);
  return group;
}

/// The window exists already; what remains is that its makers tell each other of it, as SMPI's do.
void RankPlayer::window(const Action& action) {
  switch (action.kind) {
  case ActionKind::win_fence: {
    const bool first = (action.flags & trace::flag_no_precede) != 0;
    return check(PMPI_Win_fence(first ? MPI_MODE_NOPRECEDE : 0, window_of(action)), action);
  }
  case ActionKind::win_free: {
    MPI_Win win = window_of(action);
    own_->windows.erase(stage_.scan->same_as[action.communicator]);
    return check(PMPI_Win_free(&win), action);
  }
  default:
    return check(PMPI_Allgather(stage_.send_area, 8, MPI_BYTE, stage_.receive_area, 8, MPI_BYTE,
                                communicator(action.communicator)),
                 action);
  }
}

void RankPlayer::epoch(const Action& action) {
  MPI_Win win = window_of(action);
  const trace::CommunicatorId id = stage_.scan->same_as[action.communicator];
  const bool asks = (action.flags & trace::flag_no_check) == 0;
  switch (action.kind) {
  case ActionKind::win_post:
    return check(PMPI_Win_post(group_of(action), 0, win), action);
  case ActionKind::win_start:
    return check(PMPI_Win_start(group_of(action), 0, win), action);
  case ActionKind::win_complete:
    return check(PMPI_Win_complete(win), action);
  case ActionKind::win_wait:
  case ActionKind::win_test: // those that found the epoch over
    return check(PMPI_Win_wait(win), action);
  case ActionKind::win_lock:
    if (place(action, action.peer) == MPI_PROC_NULL) return;
    if (asks) stage_.locks[id].lock(action.peer, (action.flags & trace::flag_exclusive) != 0);
    own_->locked[{id, action.peer}] = asks;
    return;
  case ActionKind::win_lock_all:
    if (asks) stage_.locks[id].lock_all();
    own_->locked[{id, trace::any_rank}] = asks;
    return;
  case ActionKind::win_unlock: {
    if (place(action, action.peer) == MPI_PROC_NULL) return;
    check(PMPI_Win_flush(action.peer, win), action);
    const auto held = own_->locked.find({id, action.peer});
    if (held == own_->locked.end()) return;
    if (held->second) stage_.locks[id].unlock(action.peer);
    own_->locked.erase(held);
    return;
  }
  case ActionKind::win_unlock_all: {
    check(PMPI_Win_flush_all(win), action);
    const auto held = own_->locked.find({id, trace::any_rank});
    if (held == own_->locked.end()) return;
    if (held->second) stage_.locks[id].unlock_all();
    own_->locked.erase(held);
    return;
  }
  case ActionKind::win_flush:
    if (place(action, action.peer) == MPI_PROC_NULL) return;
    return check(PMPI_Win_flush(action.peer, win), action);
  case ActionKind::win_flush_local:
    if (place(action, action.peer) == MPI_PROC_NULL) return;
    return check(PMPI_Win_flush_local(action.peer, win), action);
  case ActionKind::win_flush_all:
    return check(PMPI_Win_flush_all(win), action);
  case ActionKind::win_flush_local_all:
    return check(PMPI_Win_flush_local_all(win), action);
  default: // Win_sync
    return;
  }
}

void RankPlayer::one_sided(const Action& action) {
  MPI_Win win = window_of(action);
  const int target = place(action, action.peer);
  MPI_Request* request = action.request == trace::no_request ? nullptr : &slot(action.request).request;
  if (target == MPI_PROC_NULL) return;
  char* own = stage_.send_area;
  switch (action.kind) {
  case ActionKind::put: {
    const auto [count, type] = elements(action.bytes);
    return check(request != nullptr ? PMPI_Rput(own, count, type, target, 0, count, type, win, request)
                                    : PMPI_Put(own, count, type, target, 0, count, type, win),
                 action);
  }
  case ActionKind::get: {
    const auto [count, type] = elements(action.receive_bytes);
    return check(request != nullptr ? PMPI_Rget(own, count, type, target, 0, count, type, win, request)
                                    : PMPI_Get(own, count, type, target, 0, count, type, win),
                 action);
  }
  default:
    return atomic(action, win, request);
  }
}

void RankPlayer::atomic(const Action& action, MPI_Win win, MPI_Request* request) {
  const int target = action.peer;
  char* own = stage_.send_area;
  char* result = stage_.send_area + largest_payload;
  if (action.kind == ActionKind::compare_and_swap) {
    MPI_Datatype type = stage_.types.of(std::max<trace::Bytes>(action.receive_bytes, 1));
    return check(PMPI_Compare_and_swap(own, own, result, type, target, 0, win), action);
  }
  Reduction r = reduction_of(action);
  // SMPI knows predefined operations only in windows.
  const bool predefined = r.element == 1 || r.element == 2 || r.element == 4 || r.element == 8 || r.element == 16;
  if (!predefined) r.element = unit_for(std::max(action.bytes, action.receive_bytes));
  r.type = stage_.types.of(r.element);
  r.op = r.element == 1 ? MPI_BAND : MPI_SUM;
  if ((action.flags & trace::flag_replace) != 0) r.op = MPI_REPLACE;
  if ((action.flags & trace::flag_no_operation) != 0) r.op = MPI_NO_OP;
  const int count = r.count(std::max(action.bytes, action.receive_bytes));
  if (action.kind == ActionKind::accumulate) {
    return check(request != nullptr ? PMPI_Raccumulate(own, count, r.type, target, 0, count, r.type, r.op, win, request)
                                    : PMPI_Accumulate(own, count, r.type, target, 0, count, r.type, r.op, win),
                 action);
  }
  if (action.kind == ActionKind::fetch_and_op)
    return check(PMPI_Fetch_and_op(own, result, r.type, target, 0, r.op, win), action);
  check(request != nullptr
            ? PMPI_Rget_accumulate(own, count, r.type, result, count, r.type, target, 0, count, r.type, r.op, win,
                                   request)
            : PMPI_Get_accumulate(own, count, r.type, result, count, r.type, target, 0, count, r.type, r.op, win),
        action);
}

} // namespace timeless::replay::smpi
