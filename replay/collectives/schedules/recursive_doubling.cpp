#include "replay/collectives/schedules/recursive_doubling.h"

#include "replay/collectives/schedules/folding.h"

namespace timeless::replay::schedules {

bool doubling_allreduce(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  const Folding folding(group.members, true);
  constexpr Blocks all{0, 1};
  const auto double_up = [&](std::uint32_t mine, std::uint32_t exchange) -> Step {
    const std::uint32_t other = folding.member(mine ^ (1U << exchange));
    return {.to = other, .out = all, .from = other, .in = all, .reduces = true};
  };
  return folded(folding, me, index, all, all, floor_log2(folding.power()), double_up, step);
}

bool doubling_allgather(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  if (index >= floor_log2(group.members)) return false;
  const std::uint32_t width = 1U << index;
  const std::uint32_t other = me ^ width;
  step = {.to = other, .out = {me & ~(width - 1), width}, .from = other, .in = {other & ~(width - 1), width}};
  return true;
}

bool doubling_reduce_scatter(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  const std::uint32_t p = group.members;
  const Folding folding(p, true);
  const auto double_up = [&](std::uint32_t mine, std::uint32_t exchange) -> Step {
    // Those whose contributions a member has need none of its blocks any more: it sends all the others.
    const std::uint32_t width = 1U << exchange;
    const auto all_but = [&](std::uint32_t tree) {
      const std::uint32_t first = folding.first_block(tree);
      const std::uint32_t end = folding.first_block(tree + width);
      return Blocks{end % p, p - (end - first)};
    };
    const std::uint32_t other = mine ^ width;
    const std::uint32_t partner = folding.member(other);
    return {.to = partner,
            .out = all_but(mine & ~(width - 1)),
            .from = partner,
            .in = all_but(other & ~(width - 1)),
            .reduces = true};
  };
  return folded(folding, me, index, {0, p}, {folding.aside_of_pair(me), 1}, floor_log2(folding.power()), double_up,
                step);
}

} // namespace timeless::replay::schedules
