#include "replay/collectives/schedules/bruck.h"

#include <algorithm>

namespace timeless::replay::schedules {

bool bruck_allgather(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  const std::uint32_t p = group.members;
  if (index >= ceil_log2(p)) return false;
  const std::uint32_t distance = 1U << index;
  const std::uint32_t count = std::min(distance, p - distance);
  const std::uint32_t from = (me + distance) % p;
  step = {.to = (me + p - distance) % p, .out = {me, count}, .from = from, .in = {from, count}};
  return true;
}

bool bruck_alltoall(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  const std::uint32_t p = group.members;
  if (index >= ceil_log2(p)) return false;
  const std::uint32_t bit = 1U << index;
  // In every 2 * bit numbers from 0 on, the last bit ones have it.
  const std::uint32_t rest = p % (2 * bit);
  const std::uint32_t count = p / (2 * bit) * bit + (rest > bit ? rest - bit : 0);
  step = {.to = (me + bit) % p, .out = {bit, count}, .from = (me + p - bit) % p, .in = {bit, count}};
  return true;
}

} // namespace timeless::replay::schedules
