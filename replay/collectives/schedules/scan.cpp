#include "replay/collectives/schedules/scan.h"

namespace timeless::replay::schedules {

bool doubling_scan(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  if (index >= ceil_log2(group.members)) return false;
  const std::uint32_t other = me ^ (1U << index);
  step = {};
  if (other < group.members) step = {.to = other, .out = {0, 1}, .from = other, .in = {0, 1}, .reduces = true};
  return true;
}

} // namespace timeless::replay::schedules
