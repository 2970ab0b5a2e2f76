// What extrapolate makes of recordings, beside a recording of as many ranks.
#include "tests/record/shell.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <initializer_list>
#include <string>

namespace timeless::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Records a program with these numbers of ranks, as run-3.tia and so on. Returns the names of the archives.
std::string record_each(const Workplace& place, const std::string& program, std::initializer_list<int> numbers) {
  std::string names;
  for (const int ranks : numbers) {
    const std::string number = std::to_string(ranks);
    const std::string name = "run-" + number + ".tia";
    const Ran ran = place.run("timeless record --counter icount -o d" + number + " -- mpirun -np " + number + " " +
                              program + " && timeless gather d" + number + " -o " + name);
    EXPECT_EQ(ran.status, 0) << ran.errors;
    names += name + " ";
  }
  return names;
}

TEST(ExtrapolatedRecordings, do_what_was_recorded_on_as_many_ranks) {
  const Workplace place;
  const std::string runs = record_each(place, "halo 480 4 1", {3, 4, 5, 6});
  (void)record_each(place, "halo 480 4 1", {8});
  const Ran made = place.run("timeless extrapolate " + runs + "--ranks 8 -o made.tia --check run-8.tia --json");
  ASSERT_EQ(made.status, 0) << made.errors;
  const json check = json::parse(made.output)["check"];
  EXPECT_EQ(check["ranks_alike"], 8) << check["first_difference"];
  EXPECT_EQ(check["sized_equal"], check["sized"]);
  // MPI_Init leaves the heap otherwise with each number of ranks: some hundred instructions of the first computation
  // are not the program's alone.
  EXPECT_GT(check["volumes_equal"].get<double>(), 0.8 * check["volumes"].get<double>());
  EXPECT_LT(check["rank_error"].get<double>(), 0.001);
  EXPECT_EQ(place.run("timeless check made.tia").status, 0);
  const Ran told = place.run("timeless info made.tia --brief");
  EXPECT_THAT(told.output, HasSubstr("EXTRAPOLATED   from run-3.tia (3 ranks), run-4.tia (4 ranks)"));
}

} // namespace
} // namespace timeless::test
