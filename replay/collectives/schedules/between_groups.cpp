#include "replay/collectives/schedules/between_groups.h"

namespace timeless::replay::schedules {

bool link(const Group&, std::uint32_t me, std::uint32_t index, Step& step) {
  step = {};
  if (me == 0)
    step.to = 1;
  else
    step.from = 1 - me;
  step.out = step.in = {0, 1};
  return index == 0;
}

bool swap(const Group&, std::uint32_t me, std::uint32_t index, Step& step) {
  step = {.to = 1 - me, .out = {0, 1}, .from = 1 - me, .in = {0, 1}};
  return index == 0;
}

bool rounds_between_groups(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  const std::uint32_t rounds = group.root;
  if (index >= rounds) return false;
  const std::uint32_t to = (me + index) % rounds;
  const std::uint32_t from = (me + rounds - index) % rounds;
  step = {};
  if (to < group.members) {
    step.to = to;
    step.out = {to, 1};
  }
  if (from < group.members) {
    step.from = from;
    step.in = {from, 1};
  }
  return true;
}

bool to_all(const Group& group, std::uint32_t, std::uint32_t index, Step& step) {
  step = {.to = index, .out = {index, 1}, .in = {}};
  return index < group.members;
}

bool from_all(const Group& group, std::uint32_t, std::uint32_t index, Step& step) {
  step = {.out = {}, .from = index, .in = {index, 1}};
  return index < group.members;
}

bool to_first(const Group&, std::uint32_t, std::uint32_t index, Step& step) {
  step = {.to = 0, .out = {0, 1}, .in = {}};
  return index == 0;
}

bool from_first(const Group&, std::uint32_t, std::uint32_t index, Step& step) {
  step = {.out = {}, .from = 0, .in = {0, 1}};
  return index == 0;
}

} // namespace timeless::replay::schedules
