// Hosts that the platform connects by nothing: both backends say so, and fail alike.
#include "tests/smpi/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace timeless::replay {
namespace {

const SimgridPlatform& apart() {
  return machine(TIMELESS_TEST_PLATFORMS "/apart.xml");
}

Error error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  return {Failure::usage, "nothing failed"};
}

TEST(HostsApart, are_named_by_both_backends_with_the_same_failure) {
  const trace::MemorySource program = one_message(1000);
  const Mapping mapping = placed({0, 2});
  for (const Error& error : {error_of([&] { smpi_ends(program, apart(), mapping); }),
                             error_of([&] { model_ends(program, apart(), mapping); })}) {
    EXPECT_EQ(error.failure(), Failure::invalid_input);
    EXPECT_THAT(error.description(), testing::HasSubstr("no route from host-0 to host-2"));
  }
}

TEST(HostsApart, matter_only_where_a_message_passes) {
  const trace::MemorySource program = one_message(1000);
  EXPECT_NEAR(smpi_ends(program, apart(), placed({0, 1}))[1] / model_ends(program, apart(), placed({0, 1}))[1], 1,
              1e-9);
}

} // namespace
} // namespace timeless::replay
