#include "tools/recording/processors.h"

#include <cstddef>
#include <sched.h>

namespace timeless::tools {

std::vector<int> usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> processors;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int processor = 0; processor < CPU_SETSIZE; ++processor)
      if (CPU_ISSET(static_cast<std::size_t>(processor), &set)) processors.push_back(processor);
  if (processors.empty()) processors.push_back(0);
  return processors;
}

} // namespace timeless::tools
