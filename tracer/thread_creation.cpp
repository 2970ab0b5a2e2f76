// Lets every thread that the program creates say that it is there, before it runs the program's function.
#include "tracer/call_scope.h"
#include "tracer/counters/workers.h"

#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
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
};

// No object that wants to be destroyed stands here while the program's function runs: a thread may end within it.
template <typename Result>
Result begin_thread(void* given) {
  const Start<Result> start = *static_cast<Start<Result>*>(given);
  std::free(given);
  of_mpi = start.of_mpi;
  if (!start.of_mpi) become_worker();
  return start.function(start.argument);
}

/// Null when there is no memory.
template <typename Result>
void* start_of(Result (*function)(void*), void* argument) {
  void* const start = std::malloc(sizeof(Start<Result>));
  if (start != nullptr) new (start) Start<Result>{function, argument, of_mpi || thread_state.depth > 0};
  return start;
}

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

} // namespace
} // namespace timeless::tracer

using timeless::tracer::begin_thread;
using timeless::tracer::start_of;

extern "C" {

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
__attribute__((visibility("default"))) int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                                          void* (*function)(void*), void* argument) noexcept {
  static const auto create = timeless::tracer::next<decltype(&pthread_create)>("pthread_create");
  void* const start = start_of(function, argument);
  if (start == nullptr) return EAGAIN;
  const int status = create(thread, attributes, begin_thread<void*>, start);
  if (status != 0) std::free(start);
  return status;
}

__attribute__((visibility("default"))) int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  static const auto create = timeless::tracer::next<decltype(&thrd_create)>("thrd_create");
  void* const start = start_of(function, argument);
  if (start == nullptr) return thrd_nomem;
  const int status = create(thread, begin_thread<int>, start);
  if (status != thrd_success) std::free(start);
  return status;
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
}
