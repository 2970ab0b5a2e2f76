#pragma once

#include "trace/model/ids.h"
#include "tracer/common/flat_map.h"
#include "tracer/mpi/types.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <vector>

namespace timeless::tracer {

/// What is known of a window: the communicator it is in the trace, and which of its open epochs the trace has the begin
/// of. Of those it gets the end, too, also while recording is switched off; of the others it gets none.
struct KnownWindow {
  trace::CommunicatorId communicator = trace::no_communicator;
  bool access = false;      ///< from MPI_Win_start to MPI_Win_complete
  bool exposure = false;    ///< from MPI_Win_post to MPI_Win_wait or MPI_Win_test
  bool all_locked = false;  ///< from MPI_Win_lock_all to MPI_Win_unlock_all
  std::vector<bool> locked; ///< by target: from MPI_Win_lock to MPI_Win_unlock
};

/// The windows of this rank, by handle.
///
/// Not safe to share: where several threads call MPI at once, the recorder's mutex is held around each member but
/// version(). Threads remember what they have looked up, and read KnownWindow::communicator without the mutex as long
/// as version() stays; which epochs are open is read and changed under the mutex only.
class WindowTable {
public:
  /// Returns what is known of a window, or null: made by a call the tracer does not see, or on a communicator it does
  /// not know.
  KnownWindow* find(MPI_Win handle);
  /// Enters a window of this many ranks; the reference stays valid until it is forgotten.
  KnownWindow& add(MPI_Win handle, trace::CommunicatorId communicator, int ranks);
  /// Forgets a window that has been freed; another may have its handle by now.
  void forget(MPI_Win handle, KnownWindow& known);
  /// Returns another number whenever a handle may have come to mean another window; for threads that remember some.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

private:
  std::atomic<std::uint64_t> version_{0};
  std::deque<KnownWindow> pool_;
  std::vector<KnownWindow*> spare_;
  FlatMap<KnownWindow*> by_handle_;
};

} // namespace timeless::tracer
