#include "replay/collectives/schedules/rabenseifner.h"

#include "replay/collectives/schedules/folding.h"

namespace timeless::replay::schedules {

namespace {

/// Returns the blocks that a number keeps after `steps` halvings: bit i of the number chose the upper or the lower half
/// in step i.
Blocks kept(std::uint32_t power, std::uint32_t number, std::uint32_t steps) {
  Blocks blocks{0, power};
  for (std::uint32_t bit = 0; bit < steps; ++bit) {
    blocks.count /= 2;
    if ((number >> bit & 1U) != 0) blocks.first += blocks.count;
  }
  return blocks;
}

/// Returns step i of the halving.
Step halve(const Folding& folding, std::uint32_t number, std::uint32_t index) {
  const std::uint32_t other = number ^ (1U << index);
  const std::uint32_t partner = folding.member(other);
  return {.to = partner,
          .out = kept(folding.power(), other, index + 1),
          .from = partner,
          .in = kept(folding.power(), number, index + 1),
          .reduces = true};
}

} // namespace

bool rabenseifner_allreduce(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  const Folding folding(group.members, true);
  const Blocks all{0, folding.power()};
  const std::uint32_t halvings = floor_log2(folding.power());
  const auto there_and_back = [&](std::uint32_t number, std::uint32_t exchange) -> Step {
    if (exchange < halvings) return halve(folding, number, exchange);
    const std::uint32_t bit = 2 * halvings - 1 - exchange;
    const std::uint32_t other = number ^ (1U << bit);
    return {.to = folding.member(other),
            .out = kept(folding.power(), number, bit + 1),
            .from = folding.member(other),
            .in = kept(folding.power(), other, bit + 1)};
  };
  return folded(folding, me, index, all, all, 2 * halvings, there_and_back, step);
}

bool rabenseifner_reduce(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  const Folding folding(group.members, false);
  const std::uint32_t halvings = floor_log2(folding.power());
  const bool replaces = folding.stands_aside(group.root); // the root takes member 0's place in the second half
  const Blocks block_of_0 = kept(folding.power(), 0, halvings);
  std::uint32_t number = folding.number(me);
  if (folding.paired(me)) {
    if (index == 0) {
      step = fold_in(folding, me, {0, folding.power()});
      return true;
    }
    --index;
  }
  if (folding.stands_aside(me)) {
    if (me != group.root) return false;
    if (index == 0) {
      step = {.out = {}, .from = 0, .in = block_of_0};
      return true;
    }
    --index;
    number = 0;
  } else {
    if (index < halvings) {
      step = halve(folding, number, index);
      return true;
    }
    index -= halvings;
    if (replaces && number == 0) {
      step = {.to = group.root, .out = block_of_0, .in = {}};
      return index == 0;
    }
  }
  // The second half, from the last halving's bit down, until the bit in which a number differs from the root's.
  const std::uint32_t root = replaces ? 0 : folding.number(group.root);
  const std::uint32_t differ = number ^ root;
  const std::uint32_t steps = halvings - (differ == 0 ? 0 : floor_log2(differ));
  if (index >= steps) return false;
  const std::uint32_t bit = halvings - 1 - index;
  const std::uint32_t other = number ^ (1U << bit);
  const std::uint32_t whom = replaces && other == 0 ? group.root : folding.member(other);
  if ((differ >> bit & 1U) != 0)
    step = {.to = whom, .out = kept(folding.power(), number, bit + 1), .in = {}};
  else
    step = {.out = {}, .from = whom, .in = kept(folding.power(), other, bit + 1)};
  return true;
}

} // namespace timeless::replay::schedules
