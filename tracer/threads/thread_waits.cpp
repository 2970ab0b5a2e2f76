// The calls by which threads of the program wait for each other: where those threads call MPI, the trace says so.
#include "tracer/threads/thread_waits.h"
#include "tracer/common/next_function.h"

#include <ctime>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

namespace timeless::tracer {
namespace {

template <typename Join>
int join_thread(pthread_t thread, const void* site, Join&& join) {
  if (!takes_points()) {
    const int status = join();
    if (const auto life = status == 0 && points_recorded() ? take_life(thread) : nullptr) begin_after(life->end);
    return status;
  }
  CallScope call(CallId::pthread_join, site);
  const int status = join();
  const std::unique_ptr<ThreadLife> life = status == 0 ? take_life(thread) : nullptr;
  if (life != nullptr) joined(call, *life);
  return status;
}

template <typename Detach>
int detach_thread(pthread_t thread, Detach&& detach_it) {
  if (points_recorded()) detach(thread);
  return detach_it();
}

std::uint64_t value_of(const void* semaphore) {
  int value = 0;
  sem_getvalue(const_cast<sem_t*>(static_cast<const sem_t*>(semaphore)), &value);
  return value > 0 ? static_cast<std::uint64_t>(value) : 0;
}

template <typename Wait>
int wait_for_post(sem_t* semaphore, const void* site, Wait&& wait) {
  if (!may_take_points()) return wait();
  see_semaphore(semaphore, value_of);
  return wait_at(CallId::sem_wait, semaphore, site, wait,
                 [=](int status) { return status == 0 ? take_post(semaphore) : no_point; });
}

/// A thread in pthread_cond_wait(), which may be cancelled there.
class WaitForCondition {
public:
  explicit WaitForCondition(const void* condition) : condition_(condition) { begin_wait(condition); }
  ~WaitForCondition() {
    if (!ended_) end_wait(condition_, false);
  }
  WaitForCondition(const WaitForCondition&) = delete;
  WaitForCondition& operator=(const WaitForCondition&) = delete;

  Point end(bool woken) {
    ended_ = true;
    return end_wait(condition_, woken);
  }

private:
  const void* condition_;
  bool ended_ = false;
};

template <typename Wait>
int wait_for_condition(const void* condition, const void* site, Wait&& wait) {
  if (!may_take_points()) return wait();
  WaitForCondition waiting(condition);
  return wait_at(CallId::pthread_cond_wait, condition, site, wait,
                 [&](int status) { return waiting.end(status == 0); });
}

template <typename Wake>
int signal_condition(const void* condition, bool all, const void* site, Wake&& wake) {
  if (!may_take_points()) return wake();
  return signal_of(CallId::pthread_cond_signal, signal(condition, all), site, wake);
}

constexpr const char* newest_conditions = "GLIBC_2.3.2";

using Post = int(sem_t*);
Post* next_post() {
  static Post* const next = next_function<Post*>("sem_post");
  return next;
}
/// Not for the first time in a handler of signals: looking it up takes locks.
[[maybe_unused]] Post* const post_found_early = next_post();

} // namespace
} // namespace timeless::tracer

using namespace timeless::tracer;

#define TIMELESS_NEXT(name) static const auto next = next_function<decltype(&name)>(#name)
#define TIMELESS_NEXT_CONDITION(name) static const auto next = next_function<decltype(&name)>(#name, newest_conditions)

extern "C" {

#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)

int pthread_join(pthread_t thread, void** result) {
  TIMELESS_NEXT(pthread_join);
  return join_thread(thread, __builtin_return_address(0), [=] { return next(thread, result); });
}

int pthread_tryjoin_np(pthread_t thread, void** result) noexcept {
  TIMELESS_NEXT(pthread_tryjoin_np);
  return join_thread(thread, __builtin_return_address(0), [=] { return next(thread, result); });
}

int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* until) {
  TIMELESS_NEXT(pthread_timedjoin_np);
  return join_thread(thread, __builtin_return_address(0), [=] { return next(thread, result, until); });
}

int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock, const timespec* until) {
  TIMELESS_NEXT(pthread_clockjoin_np);
  return join_thread(thread, __builtin_return_address(0), [=] { return next(thread, result, clock, until); });
}

int pthread_detach(pthread_t thread) noexcept {
  TIMELESS_NEXT(pthread_detach);
  return detach_thread(thread, [=] { return next(thread); });
}

int thrd_detach(thrd_t thread) {
  TIMELESS_NEXT(thrd_detach);
  return detach_thread(thread, [=] { return next(thread); });
}

int thrd_join(thrd_t thread, int* result) {
  TIMELESS_NEXT(thrd_join);
  return join_thread(thread, __builtin_return_address(0), [=] { return next(thread, result); });
}

int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes, unsigned count) noexcept {
  TIMELESS_NEXT(pthread_barrier_init);
  const int status = next(barrier, attributes, count);
  if (status == 0) begin_barrier(barrier, count);
  return status;
}

int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  TIMELESS_NEXT(pthread_barrier_destroy);
  const int status = next(barrier);
  if (status == 0) end_barrier(barrier);
  return status;
}

int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  TIMELESS_NEXT(pthread_barrier_wait);
  return meet_at(CallId::pthread_barrier_wait, barrier, 0, __builtin_return_address(0), [=] { return next(barrier); });
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  TIMELESS_NEXT_CONDITION(pthread_cond_signal);
  return signal_condition(condition, false, __builtin_return_address(0), [=] { return next(condition); });
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  TIMELESS_NEXT_CONDITION(pthread_cond_broadcast);
  return signal_condition(condition, true, __builtin_return_address(0), [=] { return next(condition); });
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  TIMELESS_NEXT_CONDITION(pthread_cond_wait);
  return wait_for_condition(condition, __builtin_return_address(0), [=] { return next(condition, mutex); });
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  TIMELESS_NEXT_CONDITION(pthread_cond_timedwait);
  return wait_for_condition(condition, __builtin_return_address(0), [=] { return next(condition, mutex, until); });
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  TIMELESS_NEXT(pthread_cond_clockwait);
  return wait_for_condition(condition, __builtin_return_address(0),
                            [=] { return next(condition, mutex, clock, until); });
}

int sem_init(sem_t* semaphore, int shared, unsigned value) noexcept {
  TIMELESS_NEXT(sem_init);
  const int status = next(semaphore, shared, value);
  if (status == 0 && may_take_points()) begin_semaphore(semaphore, value, shared != 0);
  return status;
}

int sem_destroy(sem_t* semaphore) noexcept {
  TIMELESS_NEXT(sem_destroy);
  if (may_take_points()) end_semaphore(semaphore);
  return next(semaphore);
}

int sem_post(sem_t* semaphore) noexcept {
  Post* const next = next_post();
  if (thread_state.in_handler) post_in_handler(semaphore);
  if (!may_take_points()) return next(semaphore);
  see_semaphore(semaphore, value_of);
  return signal_of(CallId::sem_post, post(semaphore), __builtin_return_address(0), [=] { return next(semaphore); });
}

int sem_wait(sem_t* semaphore) {
  TIMELESS_NEXT(sem_wait);
  return wait_for_post(semaphore, __builtin_return_address(0), [=] { return next(semaphore); });
}

int sem_trywait(sem_t* semaphore) noexcept {
  TIMELESS_NEXT(sem_trywait);
  return wait_for_post(semaphore, __builtin_return_address(0), [=] { return next(semaphore); });
}

int sem_timedwait(sem_t* semaphore, const timespec* until) {
  TIMELESS_NEXT(sem_timedwait);
  return wait_for_post(semaphore, __builtin_return_address(0), [=] { return next(semaphore, until); });
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  TIMELESS_NEXT(sem_clockwait);
  return wait_for_post(semaphore, __builtin_return_address(0), [=] { return next(semaphore, clock, until); });
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
#pragma GCC visibility pop
}
