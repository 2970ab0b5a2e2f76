// What SimGrid 3.32 cannot replay of MVAPICH2's collectives ends in words; what only their ints cannot count is right.
#include "tests/smpi/machine.h"

#include "base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sys/resource.h>

namespace timeless::replay {
namespace {

using testing::HasSubstr;
using trace::Action;
using trace::ActionKind;
using trace::Bytes;
using trace::MemorySource;

const SimgridPlatform& cluster() {
  return machine(TIMELESS_TEST_PLATFORMS "/ompi.xml", {"smpi/coll-selector:mvapich2"});
}

TEST(CollectivesAsMVAPICH, that_crash_SimGrid_are_named_as_the_likely_cause) {
  const MemorySource program = once(8, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
  try {
    smpi_replay(program, cluster(), placed({0, 0, 1, 1, 2, 2, 3, 3}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure(), Failure::runtime);
    EXPECT_THAT(error.what(), HasSubstr("SimGrid stopped during the replay"));
    EXPECT_THAT(error.what(), HasSubstr("the choice of collectives (smpi/coll-selector: mvapich2)"));
    EXPECT_THAT(error.what(), HasSubstr("--cfg=smpi/coll-selector:mpich"));
  }
}

TEST(CollectivesAsMVAPICH, keep_their_size_beyond_ints) {
  constexpr Bytes bytes = 5'000'000'000;
  const double seconds = static_cast<double>(bytes) * 1e-9;
  for (const Action& call : {Action{.kind = ActionKind::broadcast, .peer = 0, .bytes = bytes},
                             Action{.kind = ActionKind::gather, .peer = 0, .bytes = bytes, .receive_bytes = bytes},
                             Action{.kind = ActionKind::scatter, .peer = 0, .bytes = bytes, .receive_bytes = bytes},
                             Action{.kind = ActionKind::reduce, .peer = 0, .bytes = bytes, .element_bytes = 8}}) {
    const SmpiResult result = smpi_replay(once(4, call), cluster(), one_per_host(4));
    EXPECT_GE(result.replay.lanes.front().makespan, seconds) << trace::name(call.kind);
    EXPECT_LE(result.replay.lanes.front().makespan, 4 * seconds) << trace::name(call.kind);
    EXPECT_THAT(result.replay.notes, testing::Contains(HasSubstr("count bytes in ints"))) << trace::name(call.kind);
  }
}

// SMPI fills with zeros what its collectives set aside, as large as what they move.
TEST(Memory, is_not_that_of_what_collectives_move) {
  constexpr Bytes bytes = 2'000'000'000;
  const std::vector<Bytes> parts(8, bytes / 8);
  for (const Action& call :
       {Action{.kind = ActionKind::reduce, .peer = 0, .bytes = bytes, .element_bytes = 8},
        Action{.kind = ActionKind::allreduce, .bytes = bytes, .element_bytes = 8},
        Action{.kind = ActionKind::scan, .bytes = bytes, .element_bytes = 8},
        Action{.kind = ActionKind::reduce_scatter, .element_bytes = 8, .counts = parts},
        Action{.kind = ActionKind::reduce_scatter_block, .bytes = bytes / 8, .element_bytes = 8},
        Action{.kind = ActionKind::gather, .peer = 1, .bytes = bytes / 8, .receive_bytes = bytes / 8},
        Action{.kind = ActionKind::scatter, .peer = 1, .bytes = bytes / 8, .receive_bytes = bytes / 8}})
    smpi_ends(once(8, call), cluster(), one_per_host(8));
  rusage usage{}; // of the largest child so far
  ::getrusage(RUSAGE_CHILDREN, &usage);
  EXPECT_LT(usage.ru_maxrss, 300 * 1024);
}

} // namespace
} // namespace timeless::replay
