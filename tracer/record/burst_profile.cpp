#include "tracer/record/burst_profile.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace timeless::tracer {

constinit std::size_t profiled_events = 0;

namespace {

using Values = std::array<std::uint64_t, most_profile_events>;

constinit Values skew{};
constinit std::atomic<std::uint64_t> failures{0};

/// What one thread has counted, and of which of it a kernel has been told.
struct ThreadProfile {
  Values begin{}; ///< when the burst, or its present part, began
  Values burst{}; ///< counted in it
  bool begun = false;
};

constinit thread_local ThreadProfile profile;

bool read(Values& values, Boundary boundary) noexcept {
  if (read_profile(values.data(), boundary)) return true;
  failures.fetch_add(1, std::memory_order_relaxed);
  return false;
}

/// Returns the least that is counted where the program does nothing between two calls.
Values calibrate(const ActiveCounter& counter) {
  constexpr int attempts = 200;
  Values least;
  least.fill(~std::uint64_t{0});
  for (int attempt = 0; attempt < attempts; ++attempt) {
    Values before{};
    Values after{};
    if (!read(before, Boundary::call_ends)) return {};
    counter.read();
    counter.read();
    if (!read(after, Boundary::call_begins)) return {};
    for (std::size_t event = 0; event < profiled_events; ++event)
      least[event] = std::min(least[event], after[event] - before[event]);
  }
  return least;
}

} // namespace

std::vector<std::string> profile_bursts(std::string_view list, const ActiveCounter& counter) {
  std::vector<std::string> events = start_profile(list, counter);
  profiled_events = events.size();
  skew = calibrate(counter);
  return events;
}

void end_burst() noexcept {
  Values now{};
  if (!profile.begun || !read(now, Boundary::call_begins)) return;
  for (std::size_t event = 0; event < profiled_events; ++event) {
    // A thread that had to begin again counts from 0.
    const std::uint64_t counted = now[event] - (now[event] < profile.begin[event] ? 0 : profile.begin[event]);
    profile.burst[event] += counted > skew[event] ? counted - skew[event] : 0;
  }
}

void begin_burst(bool recorded) noexcept {
  if (recorded) profile.burst = {};
  profile.begun = read(profile.begin, Boundary::call_ends);
}

std::uint64_t failed_profile_readings() noexcept {
  return failures.load(std::memory_order_relaxed);
}

void KernelProfiles::add_burst(trace::KernelId kernel) {
  if (kernel >= bursts_.size()) {
    bursts_.resize(std::size_t{kernel} + 1);
    sums_.resize(bursts_.size() * profiled_events);
  }
  ++bursts_[kernel];
  for (std::size_t event = 0; event < profiled_events; ++event)
    sums_[kernel * profiled_events + event] += profile.burst[event];
}

std::vector<trace::KernelProfile> KernelProfiles::sums() const {
  std::vector<trace::KernelProfile> result;
  for (trace::KernelId kernel = 0; kernel < bursts_.size(); ++kernel) {
    if (bursts_[kernel] == 0) continue;
    const auto begin = sums_.begin() + static_cast<std::ptrdiff_t>(kernel * profiled_events);
    result.push_back({.kernel = kernel,
                      .bursts = bursts_[kernel],
                      .sums = {begin, begin + static_cast<std::ptrdiff_t>(profiled_events)}});
  }
  return result;
}

} // namespace timeless::tracer
