// From programs that make every kind of call to their replay in SMPI.
#include "tests/record/shell.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace timeless::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class RecordedCalls : public testing::TestWithParam<const char*> {
protected:
  RecordedCalls() {
    const Ran ran = place_.run("timeless record --counter none -o trace -- mpirun --mca osc pt2pt,sm -np 4 " +
                               std::string(GetParam()) + " && timeless gather trace -o run.tia");
    EXPECT_EQ(ran.status, 0) << ran.output << ran.errors;
  }

  Workplace place_;
};
INSTANTIATE_TEST_SUITE_P(Programs, RecordedCalls,
                         testing::Values("calls_c data", "further_calls_c data", "windows_c", "windows_f08",
                                         "cases late_wildcards", "cases equal_handles", "cases operations",
                                         "cases threads"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           for (char& c : name)
                             if (c == ' ') c = '_';
                           return name;
                         });

TEST_P(RecordedCalls, are_all_replayed_in_SMPI_and_their_kernels_add_up) {
  const Ran replayed =
      place_.run("timeless replay run.tia --platform graphene --mapping one-per-node --backend smpi --json");
  ASSERT_EQ(replayed.status, 0) << replayed.errors;
  const json answer = json::parse(replayed.output);
  const json info = json::parse(place_.run("timeless info run.tia --json").output);
  EXPECT_EQ(answer.at("actions"), info.at("actions"));
  EXPECT_GT(answer.at("configurations").at(0).at("makespan_seconds"), 0);
  EXPECT_EQ(answer.at("configurations").at(0).at("ranks").size(), 4);
  double kernels = 0;
  for (const json& kernel : answer.at("configurations").at(0).at("contention").at("by_kernel"))
    kernels += kernel.at("smpi_seconds").get<double>();
  EXPECT_NEAR(kernels, answer.at("configurations").at(0).at("mean_seconds").at("end"), 1e-9);
}

} // namespace
} // namespace timeless::test
