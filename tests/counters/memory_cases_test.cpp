#include "tests/counters/counted.h"

#include <gmock/gmock.h>

/// The memory model in the tool, on accesses that are known.
namespace timeless::test {
namespace {

const Counted& memory_cases() {
  static const Counted cases = run_under_icount(MEMORY_PROGRAM, "--memory=yes");
  return cases;
}

double counted(const std::string& key) {
  return static_cast<double>(memory_cases().volume(key));
}

constexpr double all_lines = 32768;
constexpr double sampled = 0.06 * all_lines; // of the lines one in 16 is looked at

TEST(MemoryCases, words_read_in_a_row_are_lines_in_order) {
  EXPECT_NEAR(counted("in_order_loads"), 1 << 18, 100);
  EXPECT_LT(counted("in_order_stores"), 100);
  EXPECT_NEAR(counted("in_order_instructions"), 4 * (1 << 18), 200);
  EXPECT_NEAR(counted("in_order_sequential"), all_lines, sampled);
  EXPECT_LT(counted("in_order_random") + counted("in_order_chained"), 64);
  EXPECT_LT(counted("in_order_misguesses"), 10);
}

TEST(MemoryCases, lines_read_far_apart_are_random) {
  EXPECT_NEAR(counted("far_apart_random"), all_lines, sampled);
  EXPECT_LT(counted("far_apart_sequential") + counted("far_apart_chained"), 64);
}

TEST(MemoryCases, lines_whose_address_was_read_are_chained_and_wait_for_each_other) {
  EXPECT_NEAR(counted("follow_chained"), all_lines, sampled);
  EXPECT_LT(counted("follow_sequential") + counted("follow_random"), 64);
  // Four cycles a load, less those that its three instructions take.
  EXPECT_NEAR(counted("follow_waits"), 3.25 * all_lines, 0.05 * all_lines);
  EXPECT_LT(counted("in_order_waits"), 0.1 * all_lines);
}

TEST(MemoryCases, divisions_are_counted_and_wait_for_each_other) {
  EXPECT_EQ(counted("divide_divisions"), 1000);
  EXPECT_GT(counted("divide_waits"), 9000);
}

TEST(MemoryCases, a_branch_by_chance_is_foreseen_every_other_time) {
  EXPECT_NEAR(counted("guess_misguesses"), 5000, 500);
}

TEST(MemoryCases, what_happens_during_a_pause_fetches_nothing) {
  EXPECT_LT(counted("paused_random") + counted("paused_sequential"), 64);
}

TEST(MemoryCases, each_thread_has_lines_of_its_own) {
  EXPECT_NEAR(counted("thread_sequential"), all_lines, sampled);
}

TEST(MemoryCases, two_runs_count_the_same) {
  EXPECT_EQ(run_under_icount(MEMORY_PROGRAM, "--memory=yes").lines, memory_cases().lines);
}

TEST(MemoryCases, without_the_option_nothing_is_counted) {
  EXPECT_EQ(run_under_icount(MEMORY_PROGRAM).volume("no_model"), 1U);
}

} // namespace
} // namespace timeless::test
