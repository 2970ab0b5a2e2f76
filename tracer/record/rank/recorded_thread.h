#pragma once

#include "trace/model/action_block.h"
#include "tracer/common/flat_map.h"
#include "tracer/common/spin_lock.h"
#include "tracer/common/stamp.h"
#include "tracer/handles/communicators.h"
#include "tracer/handles/requests.h"
#include "tracer/handles/windows.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <vector>

namespace timeless::tracer {

/// Actions of one thread, with the tickets that say where they stand among those of the others. What has ticket 0 goes
/// with the action that follows it.
struct TicketedBlock {
  trace::ActionBlock block;
  std::vector<std::uint64_t> tickets; ///< by position in the block's sequence

  void clear() {
    block.clear();
    tickets.clear();
  }
};

/// What the recorder keeps for one thread that calls MPI: memory for the action being made, what the thread has looked
/// up, and, where threads call MPI at once, its actions until they join the rank's sequence.
class RecordedThread {
public:
  explicit RecordedThread(std::uint32_t number) : number_(number) {}

  /// Returns the thread's number among those that call MPI, from 0 in the order of their first calls. A thread that
  /// begins after another has been waited for may have that one's number.
  std::uint32_t number() const { return number_; }
  /// Becomes another thread's. Nothing that was added waits any more.
  void renumber(std::uint32_t number) { number_ = number; }

  /// Memory for the lists of the action being made.
  std::vector<trace::Bytes> counts;
  std::vector<trace::Bytes> receive_counts;
  std::vector<trace::Rank> neighbors;
  std::vector<trace::RequestId> completed;
  std::vector<Request*> begun; ///< the requests that the call starts, until it has been recorded
  std::vector<Request*> ended; ///< the requests that the call ends, until it has been recorded

  Stamp stamp; ///< the times of the thread's next action

  /// What the thread has looked up in the recorder's tables, so that it need not lock them again.
  FlatMap<KnownCommunicator*> communicators; ///< by handle
  std::uint64_t communicators_version = 0;
  FlatMap<KnownWindow*> windows; ///< by handle
  std::uint64_t windows_version = 0;
  FlatMap<std::uint32_t> sites;     ///< by the key of the call site
  FlatMap<trace::KernelId> kernels; ///< by the sites at its ends
  std::uint64_t sites_version = 0;

  /// Adds an action with the next ticket. Returns how many wait now.
  std::size_t append(const trace::Action& action, std::atomic<std::uint64_t>& tickets);
  /// Adds an action with a volume, which goes with the action that follows.
  void append_volume(trace::ActionKind kind, trace::KernelId kernel, std::uint64_t volume);
  /// Takes what has been added since the last time; `empty` takes its place.
  void take(TicketedBlock& empty);
  /// Returns true when nothing has been added since then.
  bool idle();

private:
  void stamp_last();

  std::uint32_t number_;
  SpinLock lock_; ///< of what follows: the thread's own, but for the rare moments when its actions are taken
  TicketedBlock filling_;
};

} // namespace timeless::tracer
