#include "microkernels/counting.h"

#include "base/error.h"
#include "microkernels/cases.h"
#include "tracer/icount/icount.h"
#include "tracer/icount/memory_events.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace timeless::microkernels {

namespace {

using Values = std::array<std::uint64_t, MEMORY_EVENTS>;

/// What each sweep adds is the same, so that few suffice.
std::size_t counted_sweeps(const Case& one) {
  return std::max<std::size_t>(one.sweeps() / 16, 1);
}

/// Returns the counts of these sweeps, after as many.
Values counts_of(const Case& one, Arena& arena) {
  Values before{};
  Values after{};
  if (ICOUNT_MEMORY_FORGET(before.data()) != before.size())
    throw Error(Failure::missing_capability, "the kernels do not run under the icount tool with its memory model");
  arena.clear();
  const std::unique_ptr<Work> work = one.kernel->make(arena, one.elements());
  ICOUNT_MEMORY_GO_ON(before.data());
  double result = visit(*work, counted_sweeps(one));
  ICOUNT_MEMORY_GO_ON(before.data());
  result += visit(*work, counted_sweeps(one));
  ICOUNT_MEMORY_PAUSE(after.data());
  volatile double kept = result;
  static_cast<void>(kept);
  for (std::size_t event = 0; event < after.size(); ++event)
    after[event] -= before[event];
  return after;
}

} // namespace

void count_cases(std::size_t part, std::size_t parts) {
  Arena arena(arena_bytes);
  const std::vector<Case> all = cases();
  for (std::size_t number = part; number < all.size(); number += parts) {
    const Case& one = all[number];
    const Values counts = counts_of(one, arena);
    std::printf("count,%.*s,%zu,%zu", static_cast<int>(one.kernel->name.size()), one.kernel->name.data(), one.bytes,
                counted_sweeps(one));
    for (const std::uint64_t count : counts)
      std::printf(",%llu", static_cast<unsigned long long>(count));
    std::printf("\n");
    std::fflush(stdout);
  }
}

} // namespace timeless::microkernels
