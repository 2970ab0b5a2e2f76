// Ranks whose threads compute beside each other: a replay of their exact volumes takes as long as they would.
#include "tests/record/shell.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace timeless::test {
namespace {

class ThreadsSideBySide : public testing::TestWithParam<const char*> {};

TEST_P(ThreadsSideBySide, take_as_long_as_the_longest_way_through_their_work) {
  const Workplace place;
  const Ran ran =
      place.run("timeless record --counter icount -o trace -- mpirun -np 2 side_by_side " + std::string(GetParam()));
  ASSERT_EQ(ran.status, 0) << ran.errors;
  const Ran checked = place.run("timeless check trace");
  EXPECT_EQ(checked.status, 0) << checked.output << checked.errors;
  const Ran replayed = place.run("timeless replay trace --network qdr --compute-rate 2e9 --json");
  ASSERT_EQ(replayed.status, 0) << replayed.errors;
  const double seconds = nlohmann::json::parse(replayed.output).at("configurations").at(0).at("makespan_seconds");
  // A unit takes a millisecond. Beside the loops there are what threads and OpenMP do, and some barriers.
  const double true_length = 1e-3 * std::stod(ran.output);
  EXPECT_GT(seconds, true_length);
  EXPECT_LT(seconds, 1.02 * true_length);
}

INSTANTIATE_TEST_SUITE_P(Ways, ThreadsSideBySide,
                         testing::Values("team-master", "team-last", "team-both", "team-before-team", "barrier",
                                         "join-caller-first", "join-caller-last", "join-workers", "semaphore",
                                         "semaphore-of-worker", "condition", "condition-of-worker"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

} // namespace
} // namespace timeless::test
