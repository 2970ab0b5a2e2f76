#pragma once

#include <algorithm>
#include <ctime>
#include <utility>
#include <vector>

namespace timeless::bench {

/// Returns the CPU time of the process in seconds, which other programs do not add to.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Returns the median; of an even number of values the upper one.
inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Returns the CPU seconds of one call, the median of `repeat` times.
template <typename Work>
double median_seconds(int repeat, Work work) {
  std::vector<double> seconds;
  for (int run = 0; run < repeat; ++run) {
    const double begin = cpu_seconds();
    work();
    seconds.push_back(cpu_seconds() - begin);
  }
  return median(std::move(seconds));
}

} // namespace timeless::bench
