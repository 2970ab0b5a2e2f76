#pragma once

#include "tracer/record/call_scope.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <pthread.h>

/// Where threads of a rank that call MPI at once wait for each other.
///
/// A point is a number. A thread that may let others go on gives a signal at it, before the call that lets them; one
/// that has waited awaits it, after the call it has waited in. In the trace both are marks, and a thread goes on after
/// an await once all signals at its point that stand before it in the rank's sequence have been given. So a point is
/// used for one occasion, or for occasions of which none can begin before the one before has ended.
///
/// All functions may be called by any thread.
namespace timeless::tracer {

/// Returns true where points of any thread may be recorded.
bool points_recorded() noexcept;
/// Returns true where the calling thread may come to one: threads call MPI at once, and it is a thread of the
/// program's, in the program's own code. With its first signal a thread that has not called MPI is recorded like one
/// that has: then others wait for what it computes.
bool may_take_points() noexcept;
/// Returns the same for a thread that is recorded already.
bool takes_points() noexcept;

Point take_point() noexcept;
/// Gives the point back: it may stand for another occasion from now on.
void give_back(Point point) noexcept;

/// Records that the calling thread has come to the point, with what it has computed until then.
void signal_at(CallScope& call, Point point) noexcept;
/// Records that the calling thread goes on now that others have come to the point.
void await_at(CallScope& call, Point point) noexcept;
/// Notes that the calling thread, which is not recorded, goes on now that others have come to the point: should it be
/// recorded, this comes first. `object`: see give_back().
void begin_after(Point point, const void* object = nullptr) noexcept;

/// Begins a barrier at which so many threads wait for each other, by its address.
void begin_barrier(const void* barrier, std::uint32_t participants) noexcept;
void end_barrier(const void* barrier) noexcept;
/// Notes that the calling thread comes to the barrier. Returns where it signals, and then awaits the others: one of two
/// points by turns, for the first of them may come again while others have not left. `participants`: 0 as
/// begin_barrier() said; no_point where it said nothing.
Point arrive(const void* barrier, std::uint32_t participants) noexcept;

// What some threads signal and others wait for, by its address: a semaphore or a condition. A wait comes after one
// signal, not after all there have been: the oldest that no wait has taken. Each has a point of its own therefore, or
// no_point where it lets nobody go on.

/// Begins a semaphore of this value. `shared`: with other processes, whose signals nobody sees here.
void begin_semaphore(const void* semaphore, std::uint64_t value, bool shared) noexcept;
void end_semaphore(const void* semaphore) noexcept;
/// Begins a semaphore before its first use, unless it is known: `value()` asks for its value.
void see_semaphore(const void* semaphore, std::uint64_t (*value)(const void*)) noexcept;
Point post(const void* semaphore) noexcept;
/// Counts, without recording it, a post by a signal handler: one wait will need no signal. Takes no lock, and no
/// memory.
void post_in_handler(const void* semaphore) noexcept;
Point take_post(const void* semaphore) noexcept;

/// Notes that the calling thread begins to wait for the condition; end_wait() that it has ended that, `woken` or not.
void begin_wait(const void* condition) noexcept;
Point end_wait(const void* condition, bool woken) noexcept;
/// Signals a condition: one thread that waits goes on, or all.
Point signal(const void* condition, bool all) noexcept;

/// Gives a point back after its wait has been recorded: it may stand for another signal of the object.
void give_back(Point point, const void* object) noexcept;

/// A thread that the program has created while points are recorded.
struct ThreadLife {
  Point birth = no_point;             ///< where its creator has signalled, or that one's creator
  bool own_birth = false;             ///< no other thread's life has that point
  std::atomic<bool> joinable = true;  ///< another may wait for its end
  RecordedThread* reusable = nullptr; ///< what it goes on with, should it call MPI, of one that was waited for before
  Point end = no_point;               ///< where it has itself, at its end
  RecordedThread* recorded = nullptr; ///< what was kept for it, once it has ended
  std::uint32_t number = 0;           ///< its number then
};

/// Returns what its creator gives a new thread, having signalled its birth where its own points are recorded. `site`:
/// of the creator's call.
ThreadLife* begin_life(const void* site, bool joinable) noexcept;
/// Enters the thread with this life as the one that pthread_join() means by `thread`; null: it was not created after
/// all.
void enter_life(ThreadLife* life, const pthread_t* thread) noexcept;
/// Notes that nobody will wait for this thread.
void detach(pthread_t thread) noexcept;
/// Ends the life of the calling thread, which is recorded from here on at the latest.
void end_life(ThreadLife& life, CallScope& call) noexcept;
/// Takes the life of a thread that has been waited for.
std::unique_ptr<ThreadLife> take_life(pthread_t thread) noexcept;
/// Records that the calling thread, whose actions are recorded, has waited for the one with this life: awaits its end,
/// where that one's were, too.
void joined(CallScope& call, const ThreadLife& life) noexcept;

} // namespace timeless::tracer
