#include "replay/collectives/schedules/recursive_halving.h"

#include "replay/collectives/schedules/folding.h"

namespace timeless::replay::schedules {

bool halving_reduce_scatter(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  const Folding folding(group.members, true);
  const Blocks all{0, group.members};
  const std::uint32_t partner = Folding::partner(me);
  if (folding.stands_aside(me)) {
    if (index == 0) step = {.to = partner, .out = all, .in = {}};
    if (index == 1) step = {.out = {}, .from = partner, .in = {me, 1}};
    return index <= 1;
  }
  if (folding.paired(me)) {
    if (index == 0) {
      step = {.out = {}, .from = partner, .in = all, .reduces = true};
      return true;
    }
    --index;
  }
  const std::uint32_t exchanges = floor_log2(folding.power());
  if (index < exchanges) {
    const std::uint32_t width = folding.power() >> (index + 1);
    const auto half = [&](std::uint32_t number) {
      const std::uint32_t from = number & ~(width - 1);
      const std::uint32_t first = folding.first_block(from);
      return Blocks{first, folding.first_block(from + width) - first};
    };
    const std::uint32_t mine = folding.number(me);
    const std::uint32_t other = folding.member(mine ^ width);
    step = {.to = other, .out = half(mine ^ width), .from = other, .in = half(mine), .reduces = true};
    return true;
  }
  if (index > exchanges || !folding.paired(me)) return false;
  step = {.to = partner, .out = {partner, 1}, .in = {}};
  return true;
}

} // namespace timeless::replay::schedules
