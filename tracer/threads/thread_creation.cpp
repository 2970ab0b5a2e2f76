// Has every thread that the program creates announce itself before it runs the program's function.
#include "tracer/common/next_function.h"
#include "tracer/counters/workers.h"
#include "tracer/record/call_scope.h"
#include "tracer/record/thread_points.h"

#include <cerrno>
#include <cstdlib>
#include <pthread.h>
#include <threads.h>

namespace timeless::tracer {
namespace {

/// What a new thread needs to know; its own to free.
template <typename Result>
struct Start {
  Result (*function)(void*);
  void* argument;
  bool of_mpi;
  const void* leader; ///< who is given what it computes
  ThreadLife* life;
};

/// Ends the calling thread, which has called no MPI: a thread that waits for its end waits for what it has computed.
/// Where some of that stands beside its leader's bursts, all of it does.
void end_of_worker() noexcept {
  ThreadLife* const life = thread_state.life;
  const bool awaited = life != nullptr && life->joinable && life->end == no_point;
  if (!awaited || has_been_asked() || thread_state.recorded != nullptr || !may_take_points()) return;
  CallScope call(CallId::pthread_exit, thread_state.function);
  end_life(*life, call);
}

// No object that wants to be destroyed stands here while the program's function runs: a thread may end within it.
template <typename Result>
Result begin_thread(void* given) {
  const Start<Result> start = *static_cast<Start<Result>*>(given);
  std::free(given);
  thread_state.of_mpi = start.of_mpi;
  if (!start.of_mpi) become_worker(start.leader, end_of_worker);
  if (start.life != nullptr) {
    thread_state.life = start.life;
    thread_state.begins_after[0].point = start.life->birth;
    thread_state.function = reinterpret_cast<const void*>(start.function);
    if (timestamps) thread_state.times.back = now();
  }
  return start.function(start.argument);
}

/// Returns null when there is no memory.
template <typename Result>
Start<Result>* start_of(Result (*function)(void*), void* argument) {
  void* const start = std::malloc(sizeof(Start<Result>));
  if (start == nullptr) return nullptr;
  return new (start) Start<Result>{function, argument, thread_state.of_mpi || thread_state.depth > 0,
                                   thread_state.started ? &thread_state : own_leader(), nullptr};
}

/// Creates a thread by `create(start)`, which gives it the name `thread`; returns its status.
template <typename Result, typename Create>
int create_thread(Start<Result>& start, const pthread_t* thread, bool joinable, const void* site, Create&& create) {
  ThreadLife* const life = start.of_mpi || !points_recorded() ? nullptr : begin_life(site, joinable);
  start.life = life;
  const int status = create(&start);
  if (status != 0) std::free(&start);
  enter_life(life, status == 0 ? thread : nullptr);
  return status;
}

bool joinable(const pthread_attr_t* attributes) {
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &state);
  return state == PTHREAD_CREATE_JOINABLE;
}

} // namespace
} // namespace timeless::tracer

using timeless::tracer::begin_thread;
using timeless::tracer::create_thread;
using timeless::tracer::joinable;
using timeless::tracer::start_of;

extern "C" {

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
__attribute__((visibility("default"))) int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                                          void* (*function)(void*), void* argument) noexcept {
  static const auto next = timeless::tracer::next_function<decltype(&pthread_create)>("pthread_create");
  auto* const start = start_of(function, argument);
  if (start == nullptr) return EAGAIN;
  return create_thread(*start, thread, joinable(attributes), __builtin_return_address(0),
                       [=](void* given) { return next(thread, attributes, begin_thread<void*>, given); });
}

__attribute__((visibility("default"))) int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  static const auto next = timeless::tracer::next_function<decltype(&thrd_create)>("thrd_create");
  auto* const start = start_of(function, argument);
  if (start == nullptr) return thrd_nomem;
  return create_thread(*start, thread, true, __builtin_return_address(0),
                       [=](void* given) { return next(thread, begin_thread<int>, given); });
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
}
