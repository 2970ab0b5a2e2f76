#include "tracer/handles/windows.h"

namespace timeless::tracer {

KnownWindow* WindowTable::find(MPI_Win handle) {
  KnownWindow** const known = by_handle_.find(key_of(handle));
  return known != nullptr ? *known : nullptr;
}

KnownWindow& WindowTable::add(MPI_Win handle, trace::CommunicatorId communicator, int ranks) {
  if (spare_.empty()) {
    pool_.emplace_back();
    spare_.push_back(&pool_.back());
  }
  KnownWindow& window = *spare_.back();
  spare_.pop_back();
  window.communicator = communicator;
  window.access = window.exposure = window.all_locked = false;
  window.locked.assign(static_cast<std::size_t>(ranks), false);
  by_handle_.set(key_of(handle), &window);
  return window;
}

void WindowTable::forget(MPI_Win handle, KnownWindow& known) {
  if (find(handle) == &known) by_handle_.erase(key_of(handle));
  spare_.push_back(&known);
  version_.fetch_add(1, std::memory_order_release);
}

} // namespace timeless::tracer
