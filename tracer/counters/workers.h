#pragma once

#include "tracer/counters/papi_events.h"

#include <atomic>
#include <cstdint>
#include <ctime>
#include <pthread.h>
#include <sys/types.h>

/// The program's threads that compute without calling MPI themselves, such as those of OpenMP: who they are, and what
/// they have done.
///
/// Each registers itself when it starts, whatever is being counted, and leaves when it ends or when it turns out to
/// call MPI itself; what it did until then is kept. Nothing here costs a thread anything while it computes.
namespace timeless::tracer {

/// One such thread. Lives in its own thread-local memory.
struct Worker {
  // Who it is, for counters to find it by.
  pthread_t thread = {};
  pid_t number = 0;                ///< the system's number of the thread
  unsigned long icount_number = 0; ///< the icount tool's, 0 natively
  // What the counter keeps.
  clockid_t clock = 0;
  PapiEvents papi;
  // The registry's own.
  void (*before_end)() noexcept = nullptr;
  const void* leader = nullptr;
  bool asked = false; ///< some of its volume has been taken
  Worker* previous = nullptr;
  Worker* next = nullptr;
  bool registered = false;
  bool counted = false;
  std::uint64_t taken = 0; ///< its volume when volumes were last taken
};

/// How a counter counts a thread that is not the calling one. The functions are called one at a time.
struct WorkerCounter {
  /// Begins to count; in the worker or in another thread. False when that cannot be.
  bool (*begin)(Worker& worker) noexcept;
  /// Reads the volume of a worker that is counted; in any thread. Returns false when that cannot be.
  bool (*read)(const Worker& worker, std::uint64_t& volume) noexcept;
  /// Ends what begin began, whether it succeeded or not; in the worker or in another thread.
  void (*end)(Worker& worker) noexcept;
};

/// What all workers together, and the one that did most, have done in the same time.
struct WorkerVolumes {
  std::uint64_t sum = 0;
  std::uint64_t maximum = 0;
};

/// Makes the calling thread a worker until it ends; `before_end` is called before that. `leader`: the thread that is
/// given its volumes where there are several; null: any.
void become_worker(const void* leader = nullptr, void (*before_end)() noexcept = nullptr) noexcept;
/// Returns the calling thread's leader, where it is a worker.
const void* own_leader() noexcept;
/// Returns true where the calling thread is a worker, and somebody has been given some of its volume.
bool has_been_asked() noexcept;
/// Frees this leader's workers: what they do is anybody's from now on.
void leave_to_any(const void* leader) noexcept;
/// Makes the calling thread, should it be a worker, none from here on: what it computes is recorded as its own.
void cease_to_be_worker() noexcept;
/// Does the same, and returns what the calling thread has computed as a worker since workers were last asked: that, too,
/// is its own.
std::uint64_t leave_workers() noexcept;

/// Counts the workers there are and those to come; null: none of them any more.
void count_workers(const WorkerCounter* counter) noexcept;

extern constinit std::atomic<bool> workers_to_ask;
/// Returns false as long as take_worker_volumes has nothing to say.
inline bool workers_present() noexcept {
  return workers_to_ask.load(std::memory_order_relaxed);
}
/// Returns what the workers of this leader, and those of none, did since this was last called, those included that
/// ended meanwhile. Null: all workers.
WorkerVolumes take_worker_volumes(const void* leader = nullptr) noexcept;

/// Returns the number of workers that could not be counted, or not to their end: then the volumes of workers are too
/// low.
std::uint64_t uncounted_workers() noexcept;

} // namespace timeless::tracer
