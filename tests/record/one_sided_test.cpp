// One-sided communication from the program to the answers: what the verbs say of a real recording.
#include "tests/record/shell.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace timeless::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class OneSided : public testing::TestWithParam<const char*> {
protected:
  OneSided() {
    const Ran ran = place_.run("timeless record --counter none -o trace -- mpirun --mca osc pt2pt,sm -np 4 " +
                               std::string(GetParam()) + " && timeless gather trace -o run.tia");
    EXPECT_EQ(ran.status, 0) << ran.output << ran.errors;
    EXPECT_THAT(ran.errors, Not(HasSubstr("NOT recorded")));
  }

  Workplace place_;
};
INSTANTIATE_TEST_SUITE_P(Programs, OneSided, testing::Values("windows_c", "windows_f08"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(OneSided, fits_together_and_takes_its_time_on_the_network) {
  const Ran checked = place_.run("timeless check run.tia");
  EXPECT_EQ(checked.status, 0) << checked.output << checked.errors;
  const Ran replayed = place_.run("timeless replay run.tia --network qdr --mapping one-per-node --latency x1,x2 --json");
  ASSERT_EQ(replayed.status, 0) << replayed.errors;
  const json answer = json::parse(replayed.output);
  const auto latency = [&](int configuration) {
    return answer.at("configurations").at(configuration).at("mean_seconds").at("latency").get<double>();
  };
  // Per rank, some 29 round trips of locks, flushed transfers and requests, and 4 of messages or notices, at 1.3 us.
  EXPECT_GT(latency(0), 2 * 29 * 1.3e-6);
  EXPECT_GT(latency(1), 1.9 * latency(0));
  const json expected = {{"what", "exclusive locks do not wait for each other"}, {"calls", 8}, {"ranks", 4}};
  EXPECT_EQ(answer.at("not_modelled").at(0), expected);
}

TEST_P(OneSided, is_shown_with_the_bytes_that_go_and_come) {
  const json calls = json::parse(place_.run("timeless info run.tia --json").output).at("calls");
  // Over four ranks: see the program.
  const auto moved = [&](const char* call) {
    return std::vector<int>{calls.at(call).at("count"), calls.at(call).at("bytes"),
                            calls.at(call).at("bytes_received")};
  };
  EXPECT_EQ(moved("Put"), (std::vector<int>{4 * 9, 4 * (8 + 3 * 4 + 8 + 4 + 4 + 2 * 4), 0}));
  EXPECT_EQ(moved("Rput"), (std::vector<int>{4, 4 * 8, 0}));
  EXPECT_EQ(moved("Get"), (std::vector<int>{4 * 2, 0, 4 * 16}));
  EXPECT_EQ(moved("Rget"), (std::vector<int>{4, 0, 4 * 8}));
  EXPECT_EQ(moved("Accumulate"), (std::vector<int>{4 * 3, 4 * 16, 0}));
  EXPECT_EQ(moved("Get_accumulate"), (std::vector<int>{4 * 3, 4 * 12, 4 * 20}));
  EXPECT_EQ(moved("Fetch_and_op"), (std::vector<int>{4 * 2, 4 * 4, 4 * 8}));
  EXPECT_EQ(moved("Compare_and_swap"), (std::vector<int>{4 * 2, 4 * 16, 4 * 8}));
  EXPECT_EQ(moved("Win_allocate"), (std::vector<int>{4 * 3, 0, 0}));
}

} // namespace
} // namespace timeless::test
