#include "replay/collectives/schedules/recursive_halving.h"

#include "replay/collectives/schedules/folding.h"

namespace timeless::replay::schedules {

bool halving_reduce_scatter(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  const Folding folding(group.members, true);
  const auto halve = [&](std::uint32_t mine, std::uint32_t exchange) -> Step {
    const std::uint32_t width = folding.power() >> (exchange + 1);
    const auto half = [&](std::uint32_t number) {
      const std::uint32_t from = number & ~(width - 1);
      const std::uint32_t first = folding.first_block(from);
      return Blocks{first, folding.first_block(from + width) - first};
    };
    const std::uint32_t other = folding.member(mine ^ width);
    return {.to = other, .out = half(mine ^ width), .from = other, .in = half(mine), .reduces = true};
  };
  return folded(folding, me, index, {0, group.members}, {folding.aside_of_pair(me), 1}, floor_log2(folding.power()),
                halve, step);
}

} // namespace timeless::replay::schedules
