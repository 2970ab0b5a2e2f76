// What cannot be replayed is refused, or named where it stands.
#include "tests/smpi/flat.h"
#include "tests/trace/contradictory_outcomes.h"

#include "base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace timeless::replay {
namespace {

using testing::HasSubstr;
using trace::Action;
using trace::ActionKind;
using trace::Bytes;
using trace::MemorySource;
using trace::RequestId;

/// Returns the Error that SMPI's replay of this program ends with.
Error refusal(const MemorySource& program) {
  try {
    smpi_ends(program);
  } catch (const Error& error) {
    return error;
  }
  return {Failure::runtime, "nothing was refused"};
}

TEST(Refusal, names_what_SMPI_has_no_equal_for_before_anything_runs) {
  MemorySource program(2);
  program.add(1, {.kind = ActionKind::neighbor_alltoall, .bytes = 8, .receive_bytes = 8});
  program.add(1, {.kind = ActionKind::neighbor_allgather, .bytes = 8, .receive_bytes = 8});
  program.add(0, {.kind = ActionKind::comm_spawn, .peer = 0});
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .bytes = 8});
  program.finalize();
  const Error error = refusal(program);
  EXPECT_EQ(error.failure(), Failure::missing_capability);
  EXPECT_THAT(error.what(), HasSubstr("Neighbor_alltoall whose neighbours were not recorded"));
  EXPECT_THAT(error.what(), HasSubstr("Neighbor_allgather whose neighbours were not recorded"));
  EXPECT_THAT(error.what(), HasSubstr("processes of another MPI_COMM_WORLD"));
  EXPECT_THAT(error.what(), HasSubstr("--backend model"));
}

TEST(Refusal, of_sizes_beyond_counts) {
  const Bytes large = Bytes{40} << 30U;
  MemorySource vector(1);
  vector.add(0, {.kind = ActionKind::allgatherv, .bytes = large, .receive_counts = {&large, 1}});
  vector.finalize();
  EXPECT_EQ(refusal(vector).failure(), Failure::missing_capability);
  EXPECT_EQ(refusal(one_message(large)).failure(), Failure::missing_capability);
}

TEST(Deadlock, names_the_ranks_and_what_they_wait_for) {
  MemorySource program(3);
  program.compute(0, 1000);
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .tag = 3, .bytes = 8});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .tag = 3, .bytes = 8});
  program.finalize();
  const Error error = refusal(program);
  EXPECT_EQ(error.failure(), Failure::invalid_input);
  EXPECT_THAT(error.what(), HasSubstr("2 of 3 ranks wait"));
  EXPECT_THAT(error.what(), HasSubstr("rank 0, action 1: Recv from 1 with tag 3"));
  EXPECT_THAT(error.what(), HasSubstr("rank 1, action 0: Recv from 0 with tag 3"));
}

TEST(Deadlock, of_senders_that_wait_for_each_other_is_found) {
  MemorySource program(2);
  for (const Rank rank : {0, 1}) {
    program.add(rank, {.kind = ActionKind::send, .peer = 1 - rank, .bytes = Bytes{1} << 30U});
    program.add(rank, {.kind = ActionKind::receive, .peer = 1 - rank, .bytes = Bytes{1} << 30U});
  }
  program.finalize();
  EXPECT_THAT(refusal(program).what(), HasSubstr("Send to 1"));
}

TEST(Deadlock, of_a_collective_that_a_rank_never_enters_is_found) {
  MemorySource program(3);
  program.add(0, {.kind = ActionKind::barrier});
  program.add(1, {.kind = ActionKind::barrier});
  program.finalize();
  EXPECT_THAT(refusal(program).what(), HasSubstr("Barrier"));
}

TEST(InvalidTrace, is_refused_with_rank_and_action) {
  MemorySource peer(2);
  peer.add(0, {.kind = ActionKind::send, .peer = 7, .bytes = 8});
  peer.finalize();
  EXPECT_THAT(refusal(peer).what(), HasSubstr("rank 0, action 0: Send to 7"));

  MemorySource stranger(2);
  const auto other = stranger.add_communicator({1});
  stranger.add(0, {.kind = ActionKind::barrier, .communicator = other});
  stranger.finalize();
  EXPECT_THAT(refusal(stranger).what(), HasSubstr("no member of communicator 1"));

  MemorySource unknown(1);
  unknown.add(0, {.kind = ActionKind::barrier, .communicator = 9});
  unknown.finalize();
  EXPECT_THAT(refusal(unknown).what(), HasSubstr("does not define"));
}

TEST(Request, cancelled_or_resolved_without_reason_is_refused_with_rank_and_action) {
  for (const trace::test::ContradictoryOutcome& wrong : trace::test::contradictory_outcomes()) {
    SCOPED_TRACE(wrong.name);
    const Error error = refusal(wrong.program);
    EXPECT_EQ(error.failure(), Failure::invalid_input);
    EXPECT_EQ(error.where(), place(wrong));
  }
}

TEST(InvalidTrace, without_one_of_its_ranks_is_refused) {
  MemorySource program(2);
  program.finalize();
  program.description().ranks.pop_back();
  EXPECT_THAT(refusal(program).what(), HasSubstr("does not hold rank 1"));
}

} // namespace
} // namespace timeless::replay
