// How the time for a measurement is divided among launches.
#include "tools/calibrating/launch_budget.h"

#include <gtest/gtest.h>

namespace timeless::tools {
namespace {

/// Makes all launches, each of which takes so long to start; returns what all of them took.
double spent_on(LaunchBudget& budget, double start_up) {
  double spent = 0;
  for (double share = budget.next(); share > 0; share = budget.next()) {
    budget.ended(share + start_up);
    spent += share + start_up;
  }
  return spent;
}

TEST(LaunchBudget, is_spent_where_starting_takes_nothing_half_a_part_on_the_first) {
  EXPECT_DOUBLE_EQ(LaunchBudget(60, 1).next(), 60);
  LaunchBudget budget(60, 5);
  EXPECT_DOUBLE_EQ(budget.next(), 6);
  EXPECT_NEAR(spent_on(budget, 0), 60, 1e-9);
  EXPECT_EQ(budget.made(), 5U);
}

TEST(LaunchBudget, holds_for_the_starts_of_launches_too) {
  LaunchBudget budget(60, 5);
  EXPECT_NEAR(spent_on(budget, 2), 60, 1e-9);
  EXPECT_EQ(budget.made(), 5U);
  EXPECT_NEAR(budget.start_up(), 2, 1e-9);
}

TEST(LaunchBudget, cuts_launches_that_would_do_nothing_but_start) {
  LaunchBudget budget(5, 20);
  EXPECT_LE(spent_on(budget, 1), 5 + 1e-9);
  EXPECT_EQ(budget.made(), 3U);
}

TEST(LaunchBudget, always_has_a_first_launch) {
  LaunchBudget budget(1, 3);
  spent_on(budget, 10);
  EXPECT_EQ(budget.made(), 1U);
}

} // namespace
} // namespace timeless::tools
