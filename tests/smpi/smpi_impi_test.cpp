#include "tests/smpi/machine.h"

#include "base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace timeless::replay {
namespace {

using testing::HasSubstr;
using trace::ActionKind;
using trace::MemorySource;

const SimgridPlatform& cluster() {
  return machine(TIMELESS_TEST_PLATFORMS "/ompi.xml", {"smpi/coll-selector:impi"});
}

TEST(CollectivesAsIntelMPI, whose_ranks_wait_in_vain_are_named_as_the_likely_cause) {
  const MemorySource program = once(8, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 2'000'000});
  try {
    smpi_replay(program, cluster(), one_per_host(8));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("ranks wait and nothing will come"));
    EXPECT_THAT(error.what(), HasSubstr("the choice of collectives (smpi/coll-selector: impi)"));
  }
}

} // namespace
} // namespace timeless::replay
