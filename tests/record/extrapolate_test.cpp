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

/// Records a program with these numbers of ranks, as run-3.tia and so on; '%' in it is the number. Returns the names of
/// the archives.
std::string record_each(const Workplace& place, const std::string& of_number, std::initializer_list<int> numbers) {
  std::string names;
  for (const int ranks : numbers) {
    const std::string number = std::to_string(ranks);
    const std::string name = "run-" + number + ".tia";
    std::string program = of_number;
    if (const std::size_t at = program.find('%'); at != std::string::npos) program.replace(at, 1, number);
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

TEST(ExtrapolatedRecordings, may_be_of_executables_built_for_each_number_of_ranks) {
  const Workplace place;
  const std::string runs = record_each(place, "sized.%", {2, 3, 4});
  (void)record_each(place, "sized.%", {6});
  const Ran scaled = place.run("timeless scale " + runs + "--check run-6.tia --to 12 --json");
  ASSERT_EQ(scaled.status, 0) << scaled.errors;
  const json answer = json::parse(scaled.output);
  EXPECT_EQ(answer["program"], "sized");
  EXPECT_THAT(answer["notes"].dump(), HasSubstr("sized.2, sized.3, sized.4, sized.6 are taken for one program, sized"));
  const json& relaxed = answer["kernels"].front();
  EXPECT_THAT(relaxed["from"].dump() + relaxed["to"].dump(), HasSubstr("MPI_Allreduce in main (sized.c:"));
  EXPECT_TRUE(relaxed["metrics"][0]["most"]["check"]["exact"]) << relaxed.dump(1);
  const Ran made =
      place.run("timeless extrapolate " + runs + "--ranks 6 -o made.tia --check run-6.tia --tolerance 5% --json");
  ASSERT_EQ(made.status, 0) << made.errors;
  const json beside = json::parse(made.output);
  EXPECT_EQ(beside["check"]["ranks_alike"], 6) << beside["check"]["first_difference"];
  EXPECT_THAT(beside["builds"].dump(), HasSubstr("one program, sized"));
}

TEST(ExtrapolatedRecordings, of_executables_that_are_gone_are_refused) {
  const Workplace place;
  for (const char* ranks : {"2", "3", "4"})
    ASSERT_EQ(place.run(std::string("cp $(command -v sized.") + ranks + ") .").status, 0);
  const std::string runs = record_each(place, "./sized.%", {2, 3, 4});
  ASSERT_EQ(place.run("rm sized.3").status, 0);
  const Ran refused = place.run("timeless scale " + runs + "--to 12");
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.errors, testing::AllOf(HasSubstr("run-3.tia"), HasSubstr("--symbols")));
  ASSERT_EQ(place.run("cp $(command -v sized.3) . && strip -g sized.3").status, 0);
  EXPECT_THAT(place.run("timeless scale " + runs + "--to 12").errors,
              testing::AllOf(HasSubstr("run-3.tia"), HasSubstr("source line")));
}

} // namespace
} // namespace timeless::test
