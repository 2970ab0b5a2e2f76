#include "replay/collectives/schedules/pairwise.h"

namespace timeless::replay::schedules {

bool pairwise_alltoall(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  if (!std::has_single_bit(group.members)) return rotating_alltoall(group, me, index, step);
  if (index + 1 >= group.members) return false;
  const std::uint32_t other = me ^ (index + 1);
  step = {.to = other, .out = {other, 1}, .from = other, .in = {other, 1}};
  return true;
}

bool rotating_alltoall(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  const std::uint32_t p = group.members;
  if (index + 1 >= p) return false;
  const std::uint32_t to = (me + index + 1) % p;
  const std::uint32_t from = (me + p - index - 1) % p;
  step = {.to = to, .out = {to, 1}, .from = from, .in = {from, 1}};
  return true;
}

bool spread_alltoall(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  const std::uint32_t p = group.members;
  if (index >= p) return false;
  const std::uint32_t to = (me + p - index) % p;
  const std::uint32_t from = (me + index) % p;
  step = {.to = to, .out = {to, 1}, .from = from, .in = {from, 1}};
  return true;
}

bool direct_allgather(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  if (!rotating_alltoall(group, me, index, step)) return false;
  step.out = {me, 1};
  return true;
}

bool pairwise_reduce_scatter(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  if (!rotating_alltoall(group, me, index, step)) return false;
  step.in = {me, 1};
  step.reduces = true;
  return true;
}

} // namespace timeless::replay::schedules
