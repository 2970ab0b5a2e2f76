#include "replay/collectives/schedules/dissemination.h"

namespace timeless::replay::schedules {

bool dissemination(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  const std::uint32_t p = group.members;
  if (index >= ceil_log2(p)) return false;
  const std::uint32_t distance = 1U << index;
  step = {.to = (me + distance) % p, .out = {}, .from = (me + p - distance) % p, .in = {}};
  return true;
}

} // namespace timeless::replay::schedules
