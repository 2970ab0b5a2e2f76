#include "tests/smpi/machine.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace timeless::replay {
namespace {

using trace::ActionKind;
using trace::MemorySource;

const SimgridPlatform& cluster() {
  return machine(TIMELESS_TEST_PLATFORMS "/ompi.xml");
}

Mapping blocks(trace::Rank ranks, trace::Rank per_host) {
  std::vector<std::uint32_t> hosts;
  for (trace::Rank rank = 0; rank < ranks; ++rank)
    hosts.push_back(static_cast<std::uint32_t>(rank / per_host));
  return placed(hosts);
}

// Open MPI's broadcast forms groups of ranks per host at its first call. In the midst of a replay, while some have come
// and others still compute, that corrupts memory.
TEST(NodeAwareCollectives, have_their_groups_before_the_replay_begins) {
  constexpr trace::Rank ranks = 32;
  MemorySource program(ranks);
  for (trace::Rank rank = 0; rank < ranks; ++rank)
    for (int round = 0; round < 3; ++round) {
      program.compute(rank, static_cast<std::uint64_t>(rank * 7919 % 13) * 1'000'000);
      program.add(rank, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 20'000, .element_bytes = 8});
    }
  program.finalize();
  const std::vector<double> ends = smpi_ends(program, cluster(), blocks(ranks, 8));
  EXPECT_GE(*std::ranges::max_element(ends), 3 * 12e-3 - 1e-9);
}

} // namespace
} // namespace timeless::replay
