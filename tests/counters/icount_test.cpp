#include "tests/counters/counted.h"

#include <gmock/gmock.h>

namespace timeless::test {
namespace {

using testing::StartsWith;

class Icount : public testing::Test {
protected:
  static void SetUpTestSuite() { once = count_under_icount("icount"); }
  static std::uint64_t volume(const std::string& key) { return once.volume(key); }
  static Counted once;
};
Counted Icount::once;

TEST_F(Icount, says_what_it_is) {
  EXPECT_EQ(once.text("name"), "icount");
  EXPECT_THAT(once.text("version"), StartsWith("icount 3, Valgrind 3."));
  EXPECT_EQ(once.text("unit"), "instructions");
  EXPECT_EQ(once.text("exactness"), "exact");
}

TEST_F(Icount, counts_a_loop_of_two_instructions_exactly) {
  EXPECT_EQ(volume("loop_1500") - volume("loop_1000"), 2 * 500);
}

TEST_F(Icount, counts_a_repeated_string_instruction_once_however_often_it_repeats) {
  EXPECT_EQ(volume("fill_1"), volume("fill_0"));
  EXPECT_EQ(volume("fill_100000"), volume("fill_0"));
  EXPECT_EQ(volume("copy_10000"), volume("copy_0"));
  EXPECT_EQ(volume("search_all"), volume("search_0"));
  EXPECT_EQ(volume("search_found"), volume("search_0"));
}

TEST_F(Icount, counts_every_repetition_when_told) {
  const Counted each = count_under_icount("icount", "--rep-once=no");
  EXPECT_EQ(each.volume("fill_1") - each.volume("fill_0"), 1);
  EXPECT_EQ(each.volume("fill_100000") - each.volume("fill_0"), 100'000);
  EXPECT_EQ(each.volume("copy_10000") - each.volume("copy_0"), 10'000);
  EXPECT_EQ(each.volume("search_all") - each.volume("search_0"), 100'000);
  // Found at the 501st byte; not having searched any costs one execution too.
  EXPECT_EQ(each.volume("search_found") - each.volume("search_0"), 500);
}

TEST_F(Icount, counts_each_thread_for_itself) {
  EXPECT_EQ(volume("thread_loop_70000") - volume("loop_1000"), 2 * 69'000);
  EXPECT_LT(volume("beside_thread_loop_50000"), 50'000);
}

/// Starting a thread and waiting for one is not the same work every time.
Counted without_waiting(Counted counted) {
  for (const char* key : {"beside_thread_loop_50000", "workers_looped_sum", "workers_looped_maximum",
                          "workers_gone_sum", "workers_gone_maximum"})
    counted.lines.erase(key);
  return counted;
}

TEST_F(Icount, gives_the_same_in_every_run) {
  EXPECT_EQ(without_waiting(count_under_icount("icount")).lines, without_waiting(once).lines);
}

TEST_F(Icount, counts_workers_to_their_end_with_a_constant_for_starting_and_ending_each) {
  const std::uint64_t constant = volume("workers_in_a_row_maximum") - 2 * 3000;
  EXPECT_LT(constant, 3000);
  EXPECT_EQ(volume("workers_in_a_row_sum"), 2 * (1000 + 2000 + 3000) + 3 * constant);
}

TEST_F(Icount, asks_workers_while_they_live) {
  EXPECT_GE(volume("workers_looped_sum"), 2 * 10'000);
  EXPECT_LT(volume("workers_looped_sum"), 2 * 10'000 + 10'000);
  EXPECT_GE(volume("workers_looped_maximum"), 2 * 4000);
  EXPECT_EQ(volume("workers_idle_sum"), 0);
}

TEST_F(Icount, counts_no_worker_beyond_its_last_moment_as_one) {
  EXPECT_GE(volume("workers_turncoat_sum"), 2 * 3000);
  EXPECT_LT(volume("workers_turncoat_sum"), 2 * 3000 + 3000);
}

TEST_F(Icount, reading_costs_a_constant_that_is_calibrated) {
  EXPECT_GT(volume("skew"), 0);
  EXPECT_LT(volume("skew"), 50);
  EXPECT_GE(volume("back_to_back"), volume("skew"));
}

TEST_F(Icount, is_what_automatic_takes_under_the_tool) {
  EXPECT_EQ(count_under_icount("auto").text("name"), "icount");
}

} // namespace
} // namespace timeless::test
