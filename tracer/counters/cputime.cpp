#include "base/error.h"
#include "tracer/counters/candidates.h"

#include <ctime>
#include <pthread.h>

namespace timeless::tracer {
namespace {

constexpr std::uint64_t nanoseconds_per_second = 1'000'000'000;

std::uint64_t in_nanoseconds(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * nanoseconds_per_second + static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t read_thread_time() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return in_nanoseconds(now);
}

bool find_clock(Worker& worker) noexcept {
  return pthread_getcpuclockid(worker.thread, &worker.clock) == 0;
}

bool read_clock(const Worker& worker, std::uint64_t& volume) noexcept {
  timespec now{};
  if (clock_gettime(worker.clock, &now) != 0) return false;
  volume = in_nanoseconds(now);
  return true;
}

constexpr WorkerCounter worker_counter = {
    .begin = find_clock, .read = read_clock, .end = [](Worker& /*worker*/) noexcept {}};

} // namespace

/// Counts CPU time of the calling thread, in nanoseconds: a volume that depends on the machine and its load.
ActiveCounter start_cputime(std::string_view /*argument*/) {
  timespec resolution{};
  if (clock_getres(CLOCK_THREAD_CPUTIME_ID, &resolution) != 0)
    throw Error(Failure::missing_capability, "this system keeps no CPU time of threads", "TIMELESS_COUNTER=cputime",
                "choose another counter, or none");
  return {.identity = {.name = "cputime",
                       .version = "CLOCK_THREAD_CPUTIME_ID",
                       .unit = trace::VolumeUnit::nanoseconds,
                       .exactness = trace::Exactness::inexact,
                       .threads = calling_and_workers},
          .read = read_thread_time,
          .workers = &worker_counter};
}

} // namespace timeless::tracer
