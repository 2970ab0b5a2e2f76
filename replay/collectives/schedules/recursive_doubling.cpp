#include "replay/collectives/schedules/recursive_doubling.h"

#include "replay/collectives/schedules/folding.h"

namespace timeless::replay::schedules {

namespace {

/// Steps of one of a pair that stands aside: it gives away all `blocks`, and gets back `result`.
bool step_aside(std::uint32_t me, std::uint32_t index, Blocks blocks, Blocks result, Step& step) {
  const std::uint32_t partner = Folding::partner(me);
  if (index == 0) step = {.to = partner, .out = blocks, .in = {}};
  if (index == 1) step = {.out = {}, .from = partner, .in = result};
  return index <= 1;
}

} // namespace

bool doubling_allreduce(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  const Folding folding(group.members, true);
  constexpr Blocks all{0, 1};
  if (folding.stands_aside(me)) return step_aside(me, index, all, all, step);
  if (folding.paired(me)) {
    if (index == 0) {
      step = {.out = {}, .from = Folding::partner(me), .in = all, .reduces = true};
      return true;
    }
    --index;
  }
  const std::uint32_t exchanges = floor_log2(folding.power());
  if (index < exchanges) {
    const std::uint32_t other = folding.member(folding.number(me) ^ (1U << index));
    step = {.to = other, .out = all, .from = other, .in = all, .reduces = true};
    return true;
  }
  if (index > exchanges || !folding.paired(me)) return false;
  step = {.to = Folding::partner(me), .out = all, .in = {}};
  return true;
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
  const Blocks all{0, p};
  if (folding.stands_aside(me)) return step_aside(me, index, all, {me, 1}, step);
  if (folding.paired(me)) {
    if (index == 0) {
      step = {.out = {}, .from = Folding::partner(me), .in = all, .reduces = true};
      return true;
    }
    --index;
  }
  const std::uint32_t exchanges = floor_log2(folding.power());
  if (index < exchanges) {
    // Those whose contributions a member has need none of its blocks any more: it sends all the others.
    const std::uint32_t width = 1U << index;
    const auto all_but = [&](std::uint32_t tree) {
      const std::uint32_t first = folding.first_block(tree);
      const std::uint32_t end = folding.first_block(tree + width);
      return Blocks{end % p, p - (end - first)};
    };
    const std::uint32_t mine = folding.number(me);
    const std::uint32_t other = mine ^ width;
    const std::uint32_t partner = folding.member(other);
    step = {.to = partner,
            .out = all_but(mine & ~(width - 1)),
            .from = partner,
            .in = all_but(other & ~(width - 1)),
            .reduces = true};
    return true;
  }
  if (index > exchanges || !folding.paired(me)) return false;
  step = {.to = Folding::partner(me), .out = {Folding::partner(me), 1}, .in = {}};
  return true;
}

} // namespace timeless::replay::schedules
