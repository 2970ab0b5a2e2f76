// The recorded program is the program: what it is given and what it gives back are the same, with icount underneath.
#include "tests/record/shell.h"

#include <gmock/gmock.h>

namespace timeless::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Runs a command plainly and recorded with icount, and expects the same output and status.
Ran expect_same(const Workplace& place, const std::string& before, const std::string& command) {
  const Ran plain = place.run(before + command);
  const Ran recorded =
      place.run(before + "timeless record --counter icount -o \"" + (place / "trace").string() + "\" -- " + command);
  EXPECT_EQ(recorded.output, plain.output) << recorded.errors;
  EXPECT_EQ(recorded.status, plain.status) << recorded.errors;
  EXPECT_TRUE(std::filesystem::exists(place / "trace" / "rank-000000.tia") ||
              std::filesystem::exists(place / "trace/rank-000000.tia"))
      << recorded.errors;
  EXPECT_THAT(recorded.errors, Not(HasSubstr("Valgrind, disabling")));
  return recorded;
}

TEST(SameAsWithout, arguments_with_spaces_and_empty_ones) {
  const Workplace place;
  const Ran ran = expect_same(place, "", "behave arguments 'a b' '' '[x,y]' -- --json '$HOME' '{}'");
  EXPECT_THAT(ran.output, HasSubstr("[behave][arguments][a b][][[x,y]][--][--json][$HOME][{}]"));
}

TEST(SameAsWithout, a_program_found_in_the_path_keeps_its_name) {
  EXPECT_THAT(expect_same(Workplace(), "", "behave arguments").output, HasSubstr("[behave]"));
}

TEST(SameAsWithout, a_relative_path_from_another_directory) {
  const Workplace place;
  place.run("mkdir -p bin work; cp " RECORD_PROGRAMS "/behave bin/");
  EXPECT_THAT(expect_same(place, "cd work; ", "../bin/behave arguments").output, HasSubstr("[../bin/behave]"));
}

TEST(SameAsWithout, a_program_started_under_another_name_keeps_it) {
  const Workplace place;
  EXPECT_THAT(expect_same(place, "", "bash -c 'exec -a stranger behave arguments x'").output,
              HasSubstr("[stranger][arguments][x]"));
}

TEST(SameAsWithout, a_program_that_executes_itself_again) {
  for (const std::string how : {"execv", "execlp", "posix_spawn"})
    EXPECT_THAT(expect_same(Workplace(), "", "behave again " + how).output, HasSubstr("[behave][arguments]")) << how;
}

TEST(SameAsWithout, a_script_around_the_program) {
  const Workplace place;
  place.write("run", "#!/bin/sh\necho before\nbehave arguments \"$@\"\nstatus=$?\necho after\nexit $status\n");
  expect_same(place, "chmod +x run; ", "./run 'a b'");
}

TEST(SameAsWithout, env_around_the_program) {
  expect_same(Workplace(), "", "env -u HOME behave arguments");
}

TEST(SameAsWithout, standard_input_reaches_the_program) {
  const Workplace place;
  EXPECT_EQ(expect_same(place, "printf 'one\\ntwo' | ", "behave input").output, "one\ntwo");
}

TEST(SameAsWithout, the_exit_status) {
  EXPECT_EQ(expect_same(Workplace(), "", "behave exit 7").status, 7);
}

TEST(SameAsWithout, the_exit_status_under_mpirun) {
  const Workplace place;
  const Ran plain = place.run("mpirun -np 2 behave exit 7");
  const Ran recorded = place.run("timeless record --counter icount -o trace -- mpirun -np 2 behave exit 7");
  EXPECT_EQ(plain.status, 7);
  EXPECT_EQ(recorded.status, plain.status);
}

TEST(SameAsWithout, death_by_a_signal) {
  EXPECT_EQ(expect_same(Workplace(), "", "behave signal 15").status, 128 + 15);
  EXPECT_EQ(expect_same(Workplace(), "", "behave signal 9").status, 128 + 9);
}

TEST(SameAsWithout, the_environment_but_for_the_preloading) {
  const Workplace place;
  const Ran ran = expect_same(place, "export VALGRIND_LIB=/nowhere HWLOC_COMPONENTS=-gl; ", "behave environment");
  EXPECT_THAT(ran.output, HasSubstr("VALGRIND_LIB=/nowhere\n"));
  EXPECT_THAT(expect_same(Workplace(), "unset HWLOC_COMPONENTS; ", "behave environment").output, IsEmpty());
}

TEST(SameAsWithout, a_fortran_program_on_four_ranks) {
  const Workplace place;
  expect_same(place, "", "mpirun -np 4 ring");
}

TEST(SameAsWithout, a_c_program_on_four_ranks) {
  const Workplace place;
  expect_same(place, "", "mpirun -np 4 stencil");
}

TEST(SameAsWithout, a_large_stack) {
  // Valgrind alone gives 16 MiB whatever the limit.
  const Workplace place;
  EXPECT_EQ(expect_same(place, "ulimit -s unlimited; ", "deep_stack 200").output, "200 MiB\n");
}

} // namespace
} // namespace timeless::test
