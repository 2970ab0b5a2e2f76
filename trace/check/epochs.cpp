#include "trace/check/epochs.h"

#include "trace/check/findings.h"

#include <algorithm>
#include <utility>

namespace timeless::trace::checking {

namespace {

std::string begin(bool& open, const char* twice) {
  return std::exchange(open, true) ? twice : "";
}

std::string end(bool& open, const char* without) {
  return std::exchange(open, false) ? "" : without;
}

} // namespace

bool needs_target(const Action& action) {
  switch (action.kind) {
  case ActionKind::win_lock:
  case ActionKind::win_unlock:
  case ActionKind::win_flush:
  case ActionKind::win_flush_local:
    return true;
  default:
    return family(action.kind) == ActionFamily::one_sided;
  }
}

std::string Epochs::Window::open_epochs() const {
  std::string all;
  const auto add = [&](bool open, const std::string& epoch) {
    if (open) all += (all.empty() ? "" : ", ") + epoch;
  };
  add(access, "an access epoch (MPI_Win_start)");
  add(exposure, "an exposure epoch (MPI_Win_post)");
  add(all_locked, "a lock of all ranks (MPI_Win_lock_all)");
  for (const Rank rank : locked)
    add(true, "a lock of rank " + std::to_string(rank));
  return all;
}

std::vector<Epochs::RemainingWindow> Epochs::remaining() const {
  std::vector<RemainingWindow> all;
  for (const auto& [window, state] : windows_)
    if (!state.freed) all.push_back({window, state.made, state.open_epochs()});
  std::ranges::sort(all, {}, &RemainingWindow::window);
  return all;
}

std::string Epochs::follow(const Action& action) {
  Window& window = windows_[action.communicator];
  if (window.freed) return "after the window has been freed";
  switch (action.kind) {
  case ActionKind::win_start:
    return begin(window.access, "before the end of the last MPI_Win_start");
  case ActionKind::win_complete:
    return end(window.access, "without MPI_Win_start");
  case ActionKind::win_post:
    return begin(window.exposure, "before the end of the last MPI_Win_post");
  case ActionKind::win_wait:
  case ActionKind::win_test:
    return end(window.exposure, "without MPI_Win_post");
  case ActionKind::win_lock_all:
    return begin(window.all_locked, "a second time");
  case ActionKind::win_unlock_all:
    return end(window.all_locked, "without MPI_Win_lock_all");
  case ActionKind::win_lock:
    return window.locked.insert(action.peer).second
               ? ""
               : "for rank " + std::to_string(action.peer) + ", which it has locked already";
  case ActionKind::win_unlock:
    return window.locked.erase(action.peer) > 0
               ? ""
               : "for rank " + std::to_string(action.peer) + ", which it has not locked";
  case ActionKind::win_free:
    window.freed = true;
    return window.open() ? "with an epoch open" : "";
  default:
    return "";
  }
}

} // namespace timeless::trace::checking
