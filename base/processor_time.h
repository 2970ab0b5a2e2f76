#pragma once

#include <ctime>

namespace timeless {

/// Returns the seconds that processors have spent on this process until now, all its threads together.
inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

} // namespace timeless
