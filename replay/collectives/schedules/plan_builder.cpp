#include "replay/collectives/schedules/plan_builder.h"

#include "replay/collectives/schedules/between_groups.h"
#include "replay/collectives/schedules/binomial_tree.h"
#include "replay/collectives/schedules/rabenseifner.h"
#include "replay/collectives/schedules/recursive_doubling.h"
#include "replay/collectives/schedules/ring.h"
#include "replay/collectives/switches.h"

#include <algorithm>
#include <bit>

namespace timeless::replay::schedules {

PlanBuilder::PlanBuilder(const CollectiveShape& asked, const trace::Action& call, const GroupPosition& where)
    : shape(asked), action(call), place(where) {
  plan.counts = action.counts;
  plan.receive_counts = action.receive_counts;
  shape.members = place.members;
}

double PlanBuilder::part() const {
  return static_cast<double>(std::max(action.bytes, action.receive_bytes));
}

Phase& PlanBuilder::add(Function step) {
  plan.phases.push_back({.step = step,
                         .group = {.members = place.members},
                         .me = place.me,
                         .base = place.base,
                         .blocks = place.members,
                         .element_bytes = std::max(shape.element_bytes, 1U)});
  return plan.phases.back();
}

Phase& PlanBuilder::add_from(std::uint32_t root, Function step) {
  Phase& phase = add(step);
  phase.rotation = root;
  phase.me = (place.me + place.members - root) % place.members;
  return phase;
}

void PlanBuilder::whole(Phase& phase, double bytes) {
  phase.layout = Layout::equal;
  phase.bytes = phase.bytes_in = bytes;
}

void PlanBuilder::split(Phase& phase, Layout layout, double bytes, std::uint32_t blocks) {
  phase.layout = layout;
  phase.bytes = bytes;
  phase.blocks = blocks;
}

CollectiveShape PlanBuilder::of(double bytes) const {
  CollectiveShape other = shape;
  other.bytes = bytes;
  return other;
}

Phase& PlanBuilder::add_between(Function step) {
  Phase& phase = add(step);
  phase.group.members = place.remote_members;
  phase.base = place.remote_base;
  phase.blocks = place.remote_members;
  return phase;
}

void PlanBuilder::broadcast(std::uint32_t root, double bytes) {
  const CollectiveShape whole_call = of(bytes);
  if (switches::broadcast_by_tree(whole_call)) {
    chose(1);
    return whole(add_from(root, binomial_broadcast), bytes);
  }
  split(add_from(root, binomial_scatter), Layout::rounded_up, bytes, place.members);
  const bool doubling = switches::broadcast_by_doubling(whole_call);
  chose(doubling ? 2 : 3);
  split(add_from(root, doubling ? doubling_allgather : ring_allgather), Layout::rounded_up, bytes, place.members);
}

void PlanBuilder::reduce(std::uint32_t root, double bytes, bool arithmetic) {
  if (!arithmetic || switches::reduce_whole(of(bytes))) {
    chose(1);
    const bool ordered = !shape.commutative && root != 0;
    Phase& tree = add_from(ordered ? 0 : root, binomial_reduce);
    whole(tree, bytes);
    tree.arithmetic = arithmetic;
    if (ordered) connect(place.base, place.base + root, bytes);
    return;
  }
  chose(2);
  Phase& phase = add(rabenseifner_reduce);
  phase.group.root = root;
  split(phase, Layout::whole_elements, bytes, std::bit_floor(place.members));
}

void PlanBuilder::connect(std::uint32_t from, std::uint32_t to, double bytes) {
  const std::uint32_t here = place.base + place.me;
  if (here != from && here != to) return;
  Phase& phase = add(link);
  // Only the other one's number has to lead to its place.
  phase.me = here == from ? 0 : 1;
  phase.base = here == from ? to - 1 : from;
  whole(phase, bytes);
}

} // namespace timeless::replay::schedules
