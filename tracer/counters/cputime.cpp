#include "trace/error.h"
#include "tracer/counters/candidates.h"

#include <ctime>

namespace timeless::tracer {
namespace {

constexpr std::uint64_t nanoseconds_per_second = 1'000'000'000;

std::uint64_t read_thread_time() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * nanoseconds_per_second + static_cast<std::uint64_t>(now.tv_nsec);
}

} // namespace

/// CPU time of the calling thread, in nanoseconds: a volume that depends on the machine and its load.
ActiveCounter start_cputime(std::string_view /*argument*/) {
  timespec resolution{};
  if (clock_getres(CLOCK_THREAD_CPUTIME_ID, &resolution) != 0)
    throw Error(Failure::missing_capability, "this system keeps no CPU time of threads", "TIMELESS_COUNTER=cputime",
                "choose another counter, or none");
  return {.identity = {.name = "cputime",
                       .version = "CLOCK_THREAD_CPUTIME_ID",
                       .unit = trace::VolumeUnit::nanoseconds,
                       .exactness = trace::Exactness::inexact},
          .read = read_thread_time};
}

} // namespace timeless::tracer
