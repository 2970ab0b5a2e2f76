#include "tracer/record/rank/call_times.h"

#include <ctime>

namespace timeless::tracer {

constinit bool timestamps = false;

namespace {

constinit std::uint64_t zero = 0;

std::uint64_t monotonic() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

} // namespace

void start_clock() noexcept {
  zero = monotonic();
  timestamps = true;
}

std::uint64_t now() noexcept {
  return monotonic() - zero;
}

} // namespace timeless::tracer
