// Lets every thread that the program creates say that it is there, before it runs the program's function.
#include "tracer/call_scope.h"
#include "tracer/counters/workers.h"
#include "tracer/next_function.h"
#include "tracer/thread_points.h"

#include <cerrno>
#include <cstdlib>
#include <pthread.h>
#include <threads.h>

namespace timeless::tracer {
namespace {

/// True in the threads that MPI makes for itself, and in those that they make.
constinit thread_local bool of_mpi = false;

/// What a new thread needs to know; its own to free.
template <typename Result>
struct Start {
  Result (*function)(void*);
  void* argument;
  bool of_mpi;
  ThreadLife* life;
};

// No object that wants to be destroyed stands here while the program's function runs: a thread may end within it.
template <typename Result>
Result begin_thread(void* given) {
  const Start<Result> start = *static_cast<Start<Result>*>(given);
  std::free(given);
  of_mpi = start.of_mpi;
  if (!start.of_mpi) become_worker();
  if (start.life != nullptr) {
    thread_state.life = start.life;
    thread_state.begins_after[0] = start.life->birth;
    thread_state.function = reinterpret_cast<const void*>(start.function);
    if (timestamps) thread_state.times.back = now();
  }
  return start.function(start.argument);
}

/// Null when there is no memory.
template <typename Result>
Start<Result>* start_of(Result (*function)(void*), void* argument) {
  void* const start = std::malloc(sizeof(Start<Result>));
  if (start == nullptr) return nullptr;
  return new (start) Start<Result>{function, argument, of_mpi || thread_state.depth > 0, nullptr};
}

/// Creates a thread by `create(start)`, which gives it the name `thread`; returns its status.
template <typename Result, typename Create>
int create_thread(Start<Result>& start, const pthread_t* thread, const void* site, Create&& create) {
  ThreadLife* const life = start.of_mpi || !points_recorded() ? nullptr : begin_life(site);
  start.life = life;
  const int status = create(&start);
  if (status != 0) std::free(&start);
  enter_life(life, status == 0 ? thread : nullptr);
  return status;
}

} // namespace
} // namespace timeless::tracer

using timeless::tracer::begin_thread;
using timeless::tracer::create_thread;
using timeless::tracer::start_of;

extern "C" {

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
__attribute__((visibility("default"))) int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                                          void* (*function)(void*), void* argument) noexcept {
  static const auto next = timeless::tracer::next_function<decltype(&pthread_create)>("pthread_create");
  auto* const start = start_of(function, argument);
  if (start == nullptr) return EAGAIN;
  return create_thread(*start, thread, __builtin_return_address(0),
                       [=](void* given) { return next(thread, attributes, begin_thread<void*>, given); });
}

__attribute__((visibility("default"))) int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  static const auto next = timeless::tracer::next_function<decltype(&thrd_create)>("thrd_create");
  auto* const start = start_of(function, argument);
  if (start == nullptr) return thrd_nomem;
  return create_thread(*start, thread, __builtin_return_address(0),
                       [=](void* given) { return next(thread, begin_thread<int>, given); });
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
}
