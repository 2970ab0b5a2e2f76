#include "tests/smpi/machine.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace timeless::replay {
namespace {

using trace::ActionKind;
using trace::Bytes;
using trace::MemorySource;

const SimgridPlatform& cluster() {
  return machine(TIMELESS_TEST_PLATFORMS "/node-aware.xml");
}

/// Returns every collective with an algorithm of its own, small and large, on the world and on its even ranks.
MemorySource collectives(trace::Rank ranks) {
  MemorySource program(ranks);
  std::vector<trace::Rank> even;
  for (trace::Rank rank = 0; rank < ranks; rank += 2)
    even.push_back(rank);
  const auto half = program.add_communicator(even);
  for (const Bytes bytes : {Bytes{8}, Bytes{20'000}, Bytes{2'000'000}})
    for (const auto communicator : {trace::world_communicator, half})
      for (const ActionKind kind :
           {ActionKind::barrier, ActionKind::broadcast, ActionKind::reduce, ActionKind::allreduce, ActionKind::gather,
            ActionKind::scatter, ActionKind::allgather, ActionKind::alltoall})
        for (trace::Rank rank = 0; rank < ranks; rank += communicator == half ? 2 : 1)
          program.add(rank, {.kind = kind,
                             .communicator = communicator,
                             .peer = 0,
                             .bytes = bytes,
                             .receive_bytes = bytes,
                             .element_bytes = 8});
  program.finalize();
  return program;
}

TEST(NodeAwareCollectives, run_with_one_several_and_unequal_numbers_of_ranks_per_host) {
  const MemorySource program = collectives(8);
  for (const trace::Rank per_host : {1, 2, 3, 8}) {
    const std::vector<double> ends = smpi_ends(program, cluster(), blocks(8, per_host));
    EXPECT_GT(*std::ranges::min_element(ends), 0) << per_host;
  }
}

TEST(NodeAwareCollectives, cost_less_where_ranks_share_hosts) {
  MemorySource program(8);
  for (trace::Rank rank = 0; rank < 8; ++rank)
    program.add(rank, {.kind = ActionKind::allreduce, .bytes = 64, .element_bytes = 8});
  program.finalize();
  const auto last = [&](trace::Rank per_host) {
    const std::vector<double> ends = smpi_ends(program, cluster(), blocks(8, per_host));
    return *std::ranges::max_element(ends);
  };
  EXPECT_LT(last(8), last(4));
  EXPECT_LT(last(4), last(1));
}

} // namespace
} // namespace timeless::replay
