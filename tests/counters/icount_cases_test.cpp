#include "tests/counters/counted.h"

#include <gmock/gmock.h>

#include <csignal>

namespace timeless::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(IcountCases, a_forked_child_goes_on_from_its_parents_counts) {
  const Counted cases = run_under_icount(CASES_PROGRAM);
  EXPECT_LT(cases.volume("child_process_advance"), 20'000);
  EXPECT_LT(cases.volume("child_thread_advance"), 20'000);
  EXPECT_NEAR(static_cast<double>(cases.volume("child_loop")), 2000, 20);
  EXPECT_GE(cases.volume("process_of_thread_loop"), 2'000'000);
}

TEST(IcountCases, code_that_changes_is_seen_to_change) {
  EXPECT_EQ(run_under_icount(CASES_PROGRAM).text("self_modifying"), "12");
}

TEST(IcountCases, counting_survives_a_signal_whose_handler_does_not_return) {
  // The dynamic linker's work on the way counts too.
  const std::uint64_t counted = run_under_icount(CASES_PROGRAM).volume("signal_and_loop_500000");
  EXPECT_GE(counted, 1'000'000);
  EXPECT_LT(counted, 1'020'000);
}

TEST(IcountCases, an_avx512_instruction_dies_with_the_remedy_named) {
  const Counted died = run_under_icount(CASES_PROGRAM " avx512");
  EXPECT_EQ(died.status, 128 + SIGILL);
  EXPECT_THAT(died.all, AllOf(HasSubstr("AVX-512"), HasSubstr("-mno-avx512f")));
}

TEST(IcountCases, nothing_is_said_when_nothing_is_wrong) {
  EXPECT_THAT(run_under_icount(CASES_PROGRAM).all, Not(HasSubstr("==")));
}

} // namespace
} // namespace timeless::test
