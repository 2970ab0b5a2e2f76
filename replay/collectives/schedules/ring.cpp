#include "replay/collectives/schedules/ring.h"

namespace timeless::replay::schedules {

bool ring_allgather(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  const std::uint32_t p = group.members;
  if (index + 1 >= p) return false;
  step = {.to = (me + 1) % p,
          .out = {(me + p - index) % p, 1},
          .from = (me + p - 1) % p,
          .in = {(me + p - index - 1) % p, 1}};
  return true;
}

} // namespace timeless::replay::schedules
