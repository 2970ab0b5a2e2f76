#include "tests/smpi/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace timeless::replay {
namespace {

using trace::Action;
using trace::ActionKind;
using trace::Bytes;
using trace::MemorySource;

const SimgridPlatform& cluster() {
  return machine(TIMELESS_TEST_PLATFORMS "/ompi.xml");
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

// Two messages of one tag, whose receives are both there before: SimGrid gives the small one the receive of the large
// one.
TEST(CollectivesAsOpenMPI, gather_large_parts_of_few_ranks) {
  constexpr Bytes part = 2'000'000;
  for (const trace::Rank ranks : {2, 3, 7}) {
    const MemorySource program =
        once(ranks, {.kind = ActionKind::gather, .peer = 0, .bytes = part, .receive_bytes = part});
    const SmpiResult result = smpi_replay(program, cluster(), blocks(ranks, 1));
    EXPECT_GE(result.replay.lanes.front().makespan, (ranks - 1) * static_cast<double>(part) * 1e-9) << ranks;
    EXPECT_THAT(result.replay.notes, testing::Contains(testing::HasSubstr("synchronised"))) << ranks;
  }
}

TEST(CollectivesAsOpenMPI, exchange_vectors_among_three_ranks) {
  const std::vector<Bytes> parts(3, 1'000'000);
  const MemorySource program = once(3, {.kind = ActionKind::alltoallv, .counts = parts, .receive_counts = parts});
  EXPECT_GE(last(smpi_ends(program, cluster(), blocks(3, 1))), 2e-3);
}

// Without these, SimGrid says 10^10 years, or a third of the time.
TEST(CollectivesAsOpenMPI, keep_their_size_where_parts_together_exceed_an_int) {
  constexpr Bytes part = 1'100'000'000;
  const std::vector<Bytes> parts(8, part);
  for (const Action& call : {Action{.kind = ActionKind::allgatherv, .bytes = part, .receive_counts = parts},
                             Action{.kind = ActionKind::allgather, .bytes = part, .receive_bytes = part},
                             Action{.kind = ActionKind::gather, .peer = 0, .bytes = part, .receive_bytes = part},
                             Action{.kind = ActionKind::scatter, .peer = 0, .bytes = part, .receive_bytes = part},
                             Action{.kind = ActionKind::alltoall, .bytes = part, .receive_bytes = part}}) {
    const double end = last(smpi_ends(once(8, call), cluster(), blocks(8, 1)));
    const double least = 7 * static_cast<double>(part) * 1e-9; // what one rank sends or receives
    EXPECT_GE(end, least) << trace::name(call.kind);
    EXPECT_LE(end, 2.5 * least) << trace::name(call.kind);
  }
}

} // namespace
} // namespace timeless::replay
