#include "tracer/counters/candidates.h"

#include <ctime>

namespace timeless::tracer {
namespace {

std::uint64_t read_monotonic() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

} // namespace

/// Counts the time that passes between calls, in nanoseconds: a tenth of what CPU time costs to read, and what a rate
/// of instructions is found from. Time in which the thread does not run counts, too.
ActiveCounter start_walltime(std::string_view /*argument*/) {
  return {.identity = {.name = "walltime",
                       .version = "CLOCK_MONOTONIC",
                       .unit = trace::VolumeUnit::nanoseconds,
                       .exactness = trace::Exactness::inexact},
          .read = read_monotonic};
}

} // namespace timeless::tracer
