// Where the time of SMPI's replay went: to kernels, to calls.
#include "tests/smpi/flat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace timeless::replay {
namespace {

using trace::ActionKind;
using trace::MemorySource;

TEST(Attribution, to_kernels_is_their_computation_and_the_calls_up_to_the_next) {
  MemorySource program(2);
  program.compute(0, 1'000'000, 3);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 1000});
  program.compute(1, 100'000, 5);
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 1000});
  program.compute(1, 200'000, 6);
  program.finalize();
  const Result result = smpi_replay(program, flat(), one_per_host(2), {.attribute = AttributeBy::kernels}).replay;
  ASSERT_EQ(result.attribution.parts.size(), 3U);
  EXPECT_EQ(result.attribution.parts[1].rank, 1);
  EXPECT_EQ(result.attribution.parts[1].subject, 5U);
  EXPECT_EQ(result.attribution.parts[1].count, 1U);
  EXPECT_NEAR(result.attribution.parts[1].lanes[0].end, 1e-3 + message(1000), 1e-12);
  EXPECT_NEAR(result.attribution.parts[2].lanes[0].end, 0.2e-3, 1e-12);
}

TEST(Attribution, to_calls_adds_up_to_the_end) {
  const MemorySource program = ping_pong(1000);
  const Result result = smpi_replay(program, flat(), one_per_host(2), {.attribute = AttributeBy::calls}).replay;
  EXPECT_THAT(result.attribution.calls,
              testing::ElementsAre("computation", "Barrier", "Finalize", "Irecv", "Isend", "Wait"));
  double sum = 0;
  for (const AttributedTimes& part : result.attribution.parts)
    if (part.rank == 1) sum += part.lanes[0].end;
  EXPECT_NEAR(sum, result.lanes[0].ranks[1].end, 1e-15);
}

} // namespace
} // namespace timeless::replay
