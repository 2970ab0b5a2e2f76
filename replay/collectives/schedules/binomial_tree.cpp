#include "replay/collectives/schedules/binomial_tree.h"

#include <algorithm>

namespace timeless::replay::schedules {

namespace {

/// Returns the members below this one and itself: a power of two, but for those that the group does not have.
std::uint32_t reach(const Group& group, std::uint32_t me) {
  return me == 0 ? std::bit_ceil(group.members) : me & (~me + 1);
}

/// Returns the blocks of a subtree that would have `width` members in a full tree.
Blocks subtree(const Group& group, std::uint32_t top, std::uint32_t width) {
  return {top, std::min(width, group.members - top)};
}

/// Returns how many children a member has: me + 1, me + 2, me + 4, ..., as far as there are such members.
std::uint32_t children(const Group& group, std::uint32_t me) {
  return std::min(ceil_log2(reach(group, me)), ceil_log2(group.members - me));
}

struct Edge {
  std::uint32_t other = nobody;
  bool parent = false;
  std::uint32_t top = 0;   ///< of the subtree that lies below the edge
  std::uint32_t width = 0; ///< of that subtree
};

/// Leads the way down: from the parent first, then to the children with the largest subtrees first, or the smallest.
bool edge_down(const Group& group, std::uint32_t me, std::uint32_t index, bool small_first, Edge& edge) {
  if (me != 0) {
    if (index == 0) {
      edge = {me - reach(group, me), true, me, reach(group, me)};
      return true;
    }
    --index;
  }
  const std::uint32_t count = children(group, me);
  if (index >= count) return false;
  const std::uint32_t width = 1U << (small_first ? index : count - 1 - index);
  edge = {me + width, false, me + width, width};
  return true;
}

/// Leads the way up: from the children with the smallest subtrees first, then to the parent.
bool edge_up(const Group& group, std::uint32_t me, std::uint32_t index, Edge& edge) {
  const std::uint32_t count = children(group, me);
  if (index < count) {
    edge = {me + (1U << index), false, me + (1U << index), 1U << index};
    return true;
  }
  if (index > count || me == 0) return false;
  edge = {me - reach(group, me), true, me, reach(group, me)};
  return true;
}

/// Returns the step over an edge, upwards or downwards.
Step over(const Edge& edge, bool up, Blocks blocks) {
  Step step;
  if (edge.parent == up) {
    step.to = edge.other;
    step.out = blocks;
  } else {
    step.from = edge.other;
    step.in = blocks;
  }
  return step;
}

} // namespace

bool binomial_broadcast(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  Edge edge;
  if (!edge_down(group, me, index, false, edge)) return false;
  step = over(edge, false, {0, 1});
  return true;
}

bool binomial_reduce(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  Edge edge;
  if (!edge_up(group, me, index, edge)) return false;
  step = over(edge, true, {0, 1});
  step.reduces = step.from != nobody;
  return true;
}

bool binomial_scatter(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  Edge edge;
  if (!edge_down(group, me, index, false, edge)) return false;
  step = over(edge, false, subtree(group, edge.top, edge.width));
  return true;
}

bool binomial_scatter_small_first(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  Edge edge;
  if (!edge_down(group, me, index, true, edge)) return false;
  step = over(edge, false, subtree(group, edge.top, edge.width));
  return true;
}

bool binomial_gather(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  Edge edge;
  if (!edge_up(group, me, index, edge)) return false;
  step = over(edge, true, subtree(group, edge.top, edge.width));
  return true;
}

} // namespace timeless::replay::schedules
