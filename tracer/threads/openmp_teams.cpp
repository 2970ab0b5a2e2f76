// Where the threads of a parallel region of GCC's OpenMP begin, meet and end, for programs whose teams call MPI in
// several threads.
#include "tracer/common/next_function.h"
#include "tracer/threads/thread_waits.h"

#include <atomic>

namespace timeless::tracer {
namespace {

/// True from when a thread of a team that is not its master has called MPI: in most programs, none ever does.
constinit std::atomic<bool> teams_call_mpi{false};

using Region = void (*)(void*);

/// A parallel region. It stands on its master's stack while the region lasts, and its address is its barrier's.
struct Team {
  Region function;
  void* data;
  bool awaited;           ///< the master will await the others' ends
  Point begun = no_point; ///< where the master has signalled
  const ThreadState* master = &thread_state;
  std::atomic<Point> ended{no_point}; ///< where the others signal; taken by the first that does
};

constinit thread_local Team* current_team = nullptr;

void begin_part(const Team& team) {
  if (team.begun == no_point) return;
  if (takes_points()) {
    CallScope call(CallId::openmp_parallel, reinterpret_cast<const void*>(team.function));
    await_at(call, team.begun);
    return;
  }
  begin_after(team.begun);
  if (timestamps) thread_state.times.back = now();
}

Point point_of_end(Team& team) {
  Point known = team.ended.load();
  if (known != no_point) return known;
  const Point taken = take_point();
  if (team.ended.compare_exchange_strong(known, taken)) return taken;
  give_back(taken);
  return known;
}

void end_part(Team& team) {
  if (takes_points())
    teams_call_mpi.store(true, std::memory_order_relaxed);
  else if (team.begun == no_point || !may_take_points())
    return;
  if (!team.awaited) return;
  CallScope call(CallId::openmp_parallel, reinterpret_cast<const void*>(team.function));
  signal_at(call, point_of_end(team));
}

/// Runs what each thread of the team runs.
void run_part(void* given) {
  Team& team = *static_cast<Team*>(given);
  Team* const outer = current_team;
  const bool is_master = &thread_state == team.master;
  current_team = &team;
  if (!is_master) begin_part(team);
  team.function(team.data);
  if (!is_master) end_part(team);
  current_team = outer;
}

/// Runs a region by `fork(function, data)`. What all threads share is touched only once a team has called MPI.
template <typename Fork>
void run_region(Region function, void* data, const void* site, Fork&& fork) {
  if (thread_state.depth > 0 || !points_recorded()) return fork(function, data);
  Team team{.function = function, .data = data, .awaited = takes_points()};
  if (team.awaited && teams_call_mpi.load(std::memory_order_relaxed)) {
    CallScope call(CallId::openmp_parallel, site);
    signal_at(call, team.begun = take_point());
  }
  fork(run_part, &team);
  if (!teams_call_mpi.load(std::memory_order_relaxed)) return;
  end_barrier(&team);
  if (const Point ended = team.ended.load(); ended != no_point) {
    CallScope call(CallId::openmp_parallel, site);
    // Threads that were not recorded yet were workers beside this burst.
    if (team.begun == no_point) call.record([](Recorder& recorder) { recorder.end_burst(); });
    await_at(call, ended);
    give_back(ended);
  }
  if (team.begun != no_point) give_back(team.begun);
}

/// Runs `wait`, in which the threads of the team wait for each other.
template <typename Wait>
void meet_team(const void* site, Wait&& wait) {
  static const auto size = next_function<int (*)()>("omp_get_num_threads");
  if (current_team == nullptr || size == nullptr || !teams_call_mpi.load(std::memory_order_relaxed)) return wait();
  meet_at(CallId::openmp_barrier, current_team, static_cast<std::uint32_t>(size()), site, [&] {
    wait();
    return 0;
  });
}

} // namespace
} // namespace timeless::tracer

using namespace timeless::tracer;

extern "C" {

#pragma GCC visibility push(default)

void GOMP_parallel(Region function, void* data, unsigned threads, unsigned flags) {
  static const auto next = next_function<decltype(&GOMP_parallel)>("GOMP_parallel");
  run_region(function, data, __builtin_return_address(0),
             [=](Region part, void* given) { next(part, given, threads, flags); });
}

// A region that is one loop.
#define TIMELESS_LOOP(name)                                                                                            \
  void name(Region function, void* data, unsigned threads, long begin, long end, long step, long chunk,                \
            unsigned flags) {                                                                                          \
    static const auto next = next_function<decltype(&name)>(#name);                                                    \
    run_region(function, data, __builtin_return_address(0),                                                            \
               [=](Region part, void* given) { next(part, given, threads, begin, end, step, chunk, flags); });         \
  }
TIMELESS_LOOP(GOMP_parallel_loop_static)
TIMELESS_LOOP(GOMP_parallel_loop_dynamic)
TIMELESS_LOOP(GOMP_parallel_loop_guided)
TIMELESS_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
TIMELESS_LOOP(GOMP_parallel_loop_nonmonotonic_guided)
#undef TIMELESS_LOOP

#define TIMELESS_RUNTIME_LOOP(name)                                                                                    \
  void name(Region function, void* data, unsigned threads, long begin, long end, long step, unsigned flags) {          \
    static const auto next = next_function<decltype(&name)>(#name);                                                    \
    run_region(function, data, __builtin_return_address(0),                                                            \
               [=](Region part, void* given) { next(part, given, threads, begin, end, step, flags); });                \
  }
TIMELESS_RUNTIME_LOOP(GOMP_parallel_loop_runtime)
TIMELESS_RUNTIME_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
TIMELESS_RUNTIME_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)
#undef TIMELESS_RUNTIME_LOOP

void GOMP_parallel_sections(Region function, void* data, unsigned threads, unsigned sections, unsigned flags) {
  static const auto next = next_function<decltype(&GOMP_parallel_sections)>("GOMP_parallel_sections");
  run_region(function, data, __builtin_return_address(0),
             [=](Region part, void* given) { next(part, given, threads, sections, flags); });
}

#define TIMELESS_BARRIER(name)                                                                                         \
  void name() {                                                                                                        \
    static const auto next = next_function<decltype(&name)>(#name);                                                    \
    meet_team(__builtin_return_address(0), [=] { next(); });                                                           \
  }
TIMELESS_BARRIER(GOMP_barrier)
TIMELESS_BARRIER(GOMP_loop_end)
TIMELESS_BARRIER(GOMP_sections_end)
#undef TIMELESS_BARRIER

#pragma GCC visibility pop
}
