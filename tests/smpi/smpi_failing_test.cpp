// Machines whose hosts and links fail while ranks run on them.
#include "base/error.h"
#include "tests/smpi/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

namespace timeless::replay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using trace::ActionKind;
using trace::Bytes;
using trace::MemorySource;

constexpr std::uint64_t second = 1'000'000'000; // of computation

const SimgridPlatform& failing() {
  return machine(TIMELESS_TEST_PLATFORMS "/failing.xml");
}

/// Ranks on these hosts, of which the first receives what the second sends after having computed for some time.
std::string outcome(const std::string& first, const std::string& other, std::uint64_t computes, Bytes bytes,
                    std::uint64_t before_receiving = 0, Failure failure = Failure::invalid_input) {
  MemorySource program(2);
  program.compute(1, computes);
  program.add(1, {.kind = ActionKind::send, .peer = 0, .tag = 7, .bytes = bytes});
  if (before_receiving > 0) program.compute(0, before_receiving);
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .tag = 7, .bytes = bytes});
  program.finalize();
  std::vector<std::uint32_t> hosts;
  for (const std::string& name : {first, other})
    for (std::uint32_t host = 0; host < failing().hosts().size(); ++host)
      if (failing().hosts()[host].name == name) hosts.push_back(host);
  try {
    return std::to_string(last(smpi_ends(program, failing(), placed(hosts))));
  } catch (const Error& error) {
    EXPECT_EQ(error.failure(), failure);
    return error.what();
  }
}

TEST(FailingMachine, that_nobody_uses_does_not_matter) {
  EXPECT_THAT(outcome("steady", "steady", 5 * second, 1000), HasSubstr("5.00"));
}

TEST(FailingMachine, that_fails_after_all_are_done_does_not_matter) {
  EXPECT_THAT(outcome("steady", "dying", second, 1000), HasSubstr("1.00"));
  EXPECT_THAT(outcome("steady", "cut_off", second / 2, 1000), HasSubstr("0.50"));
}

TEST(FailingMachine, names_the_host_that_takes_its_ranks_along_and_what_they_were_at) {
  EXPECT_THAT(outcome("steady", "dying", 5 * second, 1000),
              AllOf(HasSubstr("host dying fails at 2 s"), HasSubstr("rank 1, action 0: "), Not(HasSubstr("rank 0")),
                    Not(HasSubstr("communicator")), HasSubstr("state_file"), HasSubstr("--mapping")));
}

TEST(FailingMachine, ends_where_a_host_fails_under_a_message) {
  EXPECT_THAT(outcome("steady", "dying", second, 500'000'000),
              AllOf(HasSubstr("host dying fails at 2 s"), HasSubstr("rank 1, action 1: Send to 0 with tag 7")));
}

/// SimGrid 3.36 and 4.1 crash there, which is said.
TEST(FailingMachine, ends_where_a_rank_that_is_done_dies_before_others_are) {
  if (!std::string_view(TIMELESS_SIMGRID_VERSION).starts_with("3.32")) {
    EXPECT_THAT(outcome("steady", "dying", second, 1000, 5 * second, Failure::runtime), HasSubstr("SimGrid crashes"));
    return;
  }
  EXPECT_THAT(outcome("steady", "dying", second, 1000, 5 * second),
              AllOf(HasSubstr("host dying fails at 2 s"), HasSubstr("rank 1, action")));
}

TEST(FailingMachine, cannot_run_ranks_on_a_host_that_is_off) {
  EXPECT_THAT(outcome("steady", "dead", second, 1000),
              AllOf(HasSubstr("host dead is off"), HasSubstr("rank 1"), HasSubstr("state_file")));
}

TEST(FailingMachine, names_the_link_under_a_message_that_fails) {
  EXPECT_THAT(outcome("steady", "cut_off", second / 2, 500'000'000),
              AllOf(HasSubstr("a message fails at 1 s"), HasSubstr("brittle"), HasSubstr("with tag 7"),
                    HasSubstr("state_file")));
  EXPECT_THAT(outcome("steady", "cut_off", 3 * second, 500'000'000),
              AllOf(HasSubstr("a message fails at 3"), HasSubstr("brittle")));
}

} // namespace
} // namespace timeless::replay
