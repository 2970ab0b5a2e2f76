#include "replay/model/schedules/linear.h"

namespace timeless::replay::schedules {

bool linear_gather(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  if (me == 0) {
    step = {.out = {}, .from = index + 1, .in = {index + 1, 1}};
    return index + 1 < group.members;
  }
  step = {.to = 0, .out = {me, 1}, .in = {}};
  return index == 0;
}

bool linear_scatter(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  if (me == 0) {
    step = {.to = index + 1, .out = {index + 1, 1}, .in = {}};
    return index + 1 < group.members;
  }
  step = {.out = {}, .from = 0, .in = {me, 1}};
  return index == 0;
}

} // namespace timeless::replay::schedules
