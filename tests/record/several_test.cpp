// Several commands that record into one directory: recordings that know nothing of each other, of which the first has
// it, and the ranks of one job, each with a command of its own.
#include "tests/record/shell.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

namespace timeless::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Begins a recording in the background, which starts its program once the file `go` is there. What it says is in
/// NAME.err, its status in NAME.status.
std::string begin(const std::string& name, const std::string& go, const std::string& program = "behave") {
  return fmt::format("{{ timeless record --counter none --json {0}.json -o trace -- sh -c 'touch {0}.ready; while [ ! -e "
                     "{1} ]; do sleep 0.02; done; exec mpirun -np 2 {2}' > {0}.out 2> {0}.err; echo $? > {0}.status; }} & ",
                     name, go, program);
}

constexpr const char* both_ready = "while [ ! -e a.ready ] || [ ! -e b.ready ]; do sleep 0.02; done; ";

void expect_recorded(const Workplace& place, const std::string& name) {
  EXPECT_EQ(place.read(name + ".status"), "0\n");
  EXPECT_THAT(place.read(name + ".err"), AllOf(HasSubstr("recorded 2 of 2 ranks"), Not(HasSubstr("warning"))));
}

void expect_refused(const Workplace& place, const std::string& name) {
  EXPECT_EQ(place.read(name + ".status"), "2\n");
  EXPECT_THAT(place.read(name + ".err"),
              AllOf(HasSubstr("another recording was the first in this directory"), HasSubstr("-o OTHER"),
                    HasSubstr("nothing was recorded"), Not(HasSubstr("recorded 2"))));
  const auto answer = nlohmann::json::parse(place.read(name + ".json"));
  EXPECT_EQ(answer.at("ranks_recorded"), 0);
  EXPECT_EQ(answer.at("complete"), false);
}

void expect_whole(const Workplace& place) {
  EXPECT_THAT(place.run("ls trace; timeless check trace").output,
              AllOf(testing::StartsWith("rank-000000.tia\nrank-000001.tia\n"), HasSubstr("consistent and complete")));
}

TEST(TwoRecordings, of_which_both_may_begin_are_told_apart_when_their_programs_do) {
  for (const int milliseconds : {0, 0, 0, 10, 30, 60, 100, 200, 400}) {
    SCOPED_TRACE(milliseconds);
    const Workplace place;
    place.run(begin("a", "go-a") + begin("b", "go-b") + both_ready +
              fmt::format("touch go-a; sleep {}; touch go-b; wait", 0.001 * milliseconds));
    const bool a_first = place.read("a.status") == "0\n";
    expect_recorded(place, a_first ? "a" : "b");
    expect_refused(place, a_first ? "b" : "a");
    expect_whole(place);
  }
}

TEST(TwoRecordings, of_which_one_has_ended_or_still_runs_leave_the_first_as_it_is) {
  for (const char* const program : {"behave exit 0", "behave chatter 300000"}) {
    const Workplace place;
    place.run(begin("a", "go-a", program) + begin("b", "go-b") + both_ready +
              "touch go-a; while ! grep -q . trace/rank-000001.tia; do sleep 0.02; done 2> /dev/null; touch go-b; wait");
    expect_recorded(place, "a");
    expect_refused(place, "b");
    expect_whole(place);
  }
}

TEST(TwoRecordings, one_after_the_other_are_refused_before_the_second_program_starts) {
  const Workplace place;
  const Ran ran = place.run("timeless record --counter none -o trace -- mpirun -np 2 behave; "
                            "timeless record --counter none -o trace -- touch started; echo $?; ls");
  EXPECT_THAT(ran.output, AllOf(HasSubstr("2\n"), Not(HasSubstr("started"))));
  EXPECT_THAT(ran.errors, HasSubstr("the directory already holds a recorded run"));
  expect_whole(place);
}

/// As `srun timeless record` does.
constexpr const char* one_for_each_rank = "mpirun -np 3 timeless record --counter none -o trace -- behave";

TEST(RanksOfAJob, with_a_command_each_make_one_recording) {
  for (int again = 0; again < 5; ++again) {
    const Workplace place;
    const Ran ran = place.run(one_for_each_rank);
    EXPECT_EQ(ran.status, 0) << ran.errors;
    EXPECT_THAT(ran.errors, Not(HasSubstr("warning")));
    EXPECT_THAT(place.run("timeless check trace").output, HasSubstr("consistent and complete"));
  }
}

TEST(RanksOfAJob, of_two_jobs_at_once_belong_to_the_first) {
  const Workplace place;
  place.run(fmt::format("for job in a b; do {{ {} 2> $job.err; echo $? > $job.status; }} & done; wait",
                        one_for_each_rank));
  const bool a_first = place.read("a.status") == "0\n";
  EXPECT_EQ(place.read(a_first ? "a.status" : "b.status"), "0\n");
  EXPECT_EQ(place.read(a_first ? "b.status" : "a.status"), "2\n");
  EXPECT_THAT(place.read(a_first ? "b.err" : "a.err"), Not(HasSubstr("recorded 3")));
  EXPECT_THAT(place.run("timeless check trace").output, HasSubstr("consistent and complete"));
}

TEST(RanksOfAJob, of_two_jobs_one_after_the_other_are_refused) {
  const Workplace place;
  const Ran ran = place.run(fmt::format("{0}; {0}", one_for_each_rank));
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.errors, HasSubstr("the directory already holds a recorded run"));
  EXPECT_THAT(place.run("timeless check trace").output, HasSubstr("consistent and complete"));
}

} // namespace
} // namespace timeless::test
