// Ranks whose threads compute beside each other: a replay of their exact volumes takes as long as they would.
#include "tests/record/shell.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace timeless::test {
namespace {

class ThreadsSideBySide : public testing::TestWithParam<const char*> {};

/// The replayed seconds of a fresh recording of a way, and in milliseconds how long it takes.
struct Length {
  double replayed = 0;
  double milliseconds = 0;
};

Length recorded_length(const Workplace& place, const std::string& way, const std::string& trace) {
  const Ran ran = place.run("timeless record --counter icount -o " + trace + " -- mpirun -np 2 side_by_side " + way);
  EXPECT_EQ(ran.status, 0) << ran.errors;
  const Ran checked = place.run("timeless check " + trace);
  EXPECT_EQ(checked.status, 0) << checked.output << checked.errors;
  const Ran replayed = place.run("timeless replay " + trace + " --network qdr --compute-rate 2e9 --json");
  EXPECT_EQ(replayed.status, 0) << replayed.errors;
  if (ran.status != 0 || replayed.status != 0) return {};
  return {nlohmann::json::parse(replayed.output).at("configurations").at(0).at("makespan_seconds"),
          std::stod(ran.output)};
}

TEST_P(ThreadsSideBySide, take_as_long_as_the_longest_way_through_their_work) {
  const Workplace place;
  const std::string way = GetParam();
  // A thread that waits for a condition may wake when it has been signalled more than once: then the recording has it
  // wait for the last signal, and the replay takes longer. It must not always.
  const int attempts = way.starts_with("condition") ? 6 : 1;
  for (int attempt = 1; attempt <= attempts; ++attempt) {
    const Length length = recorded_length(place, way, "trace" + std::to_string(attempt));
    // A unit takes a millisecond. Beside the loops there are what threads and OpenMP do, and some barriers.
    const double true_length = 1e-3 * length.milliseconds;
    ASSERT_GT(length.replayed, true_length);
    if (length.replayed < 1.02 * true_length) return;
  }
  FAIL() << "the replay always takes longer";
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
