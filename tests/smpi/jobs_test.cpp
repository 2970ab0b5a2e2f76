// Several jobs on one platform.
#include "tests/smpi/flat.h"

#include "base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace timeless::replay {
namespace {

using testing::HasSubstr;
using trace::ActionKind;
using trace::Bytes;
using trace::CommunicatorId;
using trace::MemorySource;
using trace::Rank;

// Ranks of the second job have process ids above their number: SMPI's text replay takes their waits for nothing.
TEST(Jobs, each_have_their_own_world_and_wait_for_their_own_messages) {
  const MemorySource small = ping_pong(1000);
  const MemorySource large = ping_pong(100'000);
  const Mapping first = placed({0, 1});
  const Mapping second = placed({2, 3});
  const std::array<SmpiJob, 2> jobs{SmpiJob{.source = &small, .mapping = &first},
                                    SmpiJob{.source = &large, .mapping = &second}};
  const std::vector<SmpiResult> together = smpi_replay(jobs, flat());
  ASSERT_EQ(together.size(), 2U);
  EXPECT_EQ(ends(together[0].replay), smpi_ends(small, flat(), first));
  EXPECT_EQ(ends(together[1].replay), smpi_ends(large, flat(), second));
  EXPECT_GE(ends(together[1].replay)[0], 2 * message(100'000) - 1e-12);
}

// The ranks of a communicator are those of its own job's world, whichever job's ranks ran last.
TEST(Jobs, of_other_sizes_have_their_own_communicators) {
  const auto last_two = [](Rank ranks, Bytes bytes) {
    MemorySource program(ranks);
    const CommunicatorId pair = program.add_communicator({ranks - 1, ranks - 2});
    program.add(ranks - 1, {.kind = ActionKind::send, .communicator = pair, .peer = 1, .bytes = bytes});
    program.add(ranks - 2, {.kind = ActionKind::receive, .communicator = pair, .peer = 0, .bytes = bytes});
    for (Rank rank = 0; rank < ranks; ++rank)
      program.add(rank, {.kind = ActionKind::barrier});
    program.finalize();
    return program;
  };
  const MemorySource large = last_two(5, 1000);
  const MemorySource small = last_two(2, 100'000);
  const Mapping first = placed({0, 1, 2, 3, 4});
  const Mapping second = placed({5, 6});
  const std::array<SmpiJob, 2> jobs{SmpiJob{.source = &large, .mapping = &first},
                                    SmpiJob{.source = &small, .mapping = &second}};
  const std::vector<SmpiResult> together = smpi_replay(jobs, flat());
  EXPECT_THAT(ends(together[0].replay),
              testing::Pointwise(testing::DoubleNear(1e-12), smpi_ends(large, flat(), first)));
  EXPECT_THAT(ends(together[1].replay),
              testing::Pointwise(testing::DoubleNear(1e-12), smpi_ends(small, flat(), second)));
  EXPECT_GE(ends(together[1].replay)[0], message(100'000) - 1e-12);
}

TEST(Jobs, that_wait_for_what_never_comes_are_named) {
  const MemorySource good = ping_pong(8);
  MemorySource bad(1);
  bad.add(0, {.kind = ActionKind::receive, .peer = 0, .bytes = 8});
  bad.finalize();
  const Mapping pair = placed({0, 1});
  const Mapping one = placed({2});
  const std::array<SmpiJob, 2> jobs{SmpiJob{.source = &good, .mapping = &pair},
                                    SmpiJob{.source = &bad, .mapping = &one}};
  try {
    smpi_replay(jobs, flat());
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("1 of 3 ranks wait"));
    EXPECT_THAT(error.what(), HasSubstr("job 2, rank 0, action 0: Recv"));
  }
}

// As in the model: a prediction for a recording that is cut short ends where ranks wait for what it does not hold.
TEST(CutShort, ranks_end_where_they_wait_for_what_was_not_recorded) {
  MemorySource program(3);
  program.compute(0, 1'000'000);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 1000});
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .bytes = 8});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 1000});
  program.compute(2, 3'000'000);
  program.add(2, {.kind = ActionKind::barrier});
  program.finalize();
  program.description().find(1)->ending = trace::Ending::stopped;
  const std::vector<double> simulated = smpi_ends(program);
  const std::vector<double> modelled = model_ends(program);
  for (std::size_t rank = 0; rank < 3; ++rank)
    EXPECT_NEAR(simulated[rank], modelled[rank], tolerance) << rank;
  EXPECT_THAT(notes(program), testing::Contains(HasSubstr("2 of 3 ranks wait in the end for what was not recorded")));
}

} // namespace
} // namespace timeless::replay
