#include "replay/collectives/schedules/linear.h"

namespace timeless::replay::schedules {

namespace {

/// Returns the member after `index` others, as members are numbered in the communicator.
std::uint32_t other(const Group& group, std::uint32_t index) {
  const std::uint32_t place = index < group.root ? index : index + 1;
  return (place + group.members - group.root) % group.members;
}

} // namespace

bool linear_gather(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  if (me == 0) {
    if (index + 1 >= group.members) return false;
    const std::uint32_t from = other(group, index);
    step = {.out = {}, .from = from, .in = {from, 1}};
    return true;
  }
  step = {.to = 0, .out = {me, 1}, .in = {}};
  return index == 0;
}

bool linear_scatter(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  if (me == 0) {
    if (index + 1 >= group.members) return false;
    const std::uint32_t to = other(group, index);
    step = {.to = to, .out = {to, 1}, .in = {}};
    return true;
  }
  step = {.out = {}, .from = 0, .in = {me, 1}};
  return index == 0;
}

} // namespace timeless::replay::schedules
