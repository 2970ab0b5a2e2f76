#include "microkernels/counting.h"

#include "base/descriptors.h"
#include "base/error.h"
#include "microkernels/cases.h"
#include "microkernels/workers.h"
#include "tracer/icount/icount.h"
#include "tracer/icount/memory_events.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <unistd.h>

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

/// In one piece: other processes write to the same pipe.
void print(const Case& one, const Values& counts) {
  std::string line = "count," + std::string(one.kernel->name) + "," + std::to_string(one.bytes) + "," +
                     std::to_string(counted_sweeps(one));
  for (const std::uint64_t count : counts)
    line += "," + std::to_string(count);
  line += "\n";
  if (!write_whole(STDOUT_FILENO, line)) throw Error(Failure::runtime, "what was counted cannot be written");
}

} // namespace

void count_cases(std::size_t processes) {
  const std::vector<Case> all = cases();
  std::printf("# cases: %zu\n", all.size());
  Workers workers;
  for (std::size_t part = 0; part < processes; ++part)
    workers.start([&, part] {
      Arena arena(arena_bytes);
      for (std::size_t number = part; number < all.size(); number += processes)
        print(all[number], counts_of(all[number], arena));
    });
  workers.wait();
}

} // namespace timeless::microkernels
