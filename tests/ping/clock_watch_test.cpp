#include "ping/clock_watch.h"

#include <gtest/gtest.h>

namespace timeless::ping {
namespace {

TEST(ClockWatch, takes_a_clock_that_goes_on_as_another_and_ranks_that_do_not_run_meanwhile) {
  ClockWatch watch;
  EXPECT_EQ(watch.jumped(100, 7, 100.1), 0) << "where clocks begin is their own affair";
  EXPECT_EQ(watch.jumped(101, 8.005, 101.1), 0);
  EXPECT_EQ(watch.jumped(102, 12, 105), 0) << "interrupted before the reading, or behind it";
  EXPECT_EQ(watch.jumped(105, 12, 105.1), 0);
  EXPECT_EQ(watch.jumped(1105, 1017, 1105.1), 0) << "half a per cent faster";
}

TEST(ClockWatch, tells_by_how_much_a_clock_jumped) {
  ClockWatch watch;
  EXPECT_EQ(watch.jumped(100, 7, 100), 0);
  EXPECT_EQ(watch.jumped(101, 9, 101), 1);
  EXPECT_EQ(watch.jumped(102, 10, 102), 0) << "once";
  EXPECT_EQ(watch.jumped(103, 10.5, 103), -0.5);
  EXPECT_EQ(watch.jumped(103.1, 10.7, 103.1), 10.7 - 103.1 + 92.5);
}

} // namespace
} // namespace timeless::ping
