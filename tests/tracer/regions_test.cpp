#include "recorded.h"

#include "tracer/record/rank/regions.h"

#include <gmock/gmock.h>

#include <optional>
#include <set>

/// Regions: the recorder's table of them, and programs that mark some.
namespace timeless::test {

namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using trace::ActionKind;
using tracer::RegionTable;

TEST(RegionTable, gives_one_number_to_one_name) {
  RegionTable table;
  EXPECT_EQ(table.number("solve"), 0U);
  EXPECT_EQ(table.number("setup"), 1U);
  EXPECT_EQ(table.number(std::string("sol") + "ve"), 0U);
  EXPECT_THAT(table.take_new(), ElementsAre("solve", "setup"));
  EXPECT_EQ(table.number("more"), 2U);
  EXPECT_THAT(table.take_new(), ElementsAre("more"));
}

TEST(RegionTable, shows_names_in_utf8_without_control_characters) {
  RegionTable table;
  EXPECT_EQ(table.number("caf\xc3\xa9"), 0U);
  EXPECT_EQ(table.number("caf\xe9"), 1U);
  EXPECT_EQ(table.number("a\nb"), 2U);
  EXPECT_EQ(table.number("a?b"), 2U);
  EXPECT_EQ(table.number("a\tb"), 2U);
  EXPECT_EQ(table.number("cut \xf0\x9f\x98"), 3U);
  EXPECT_EQ(table.number(""), 4U);
  EXPECT_THAT(table.take_new(), ElementsAre("caf\xc3\xa9", "caf?", "a?b", "cut ???", ""));
}

std::vector<std::string> marks(const RecordedRank& rank) {
  std::vector<std::string> result;
  for (const Kept& kept : rank.actions) {
    if (kept.action.kind == ActionKind::region_begin) result.push_back("+" + rank.run.regions.at(kept.action.region));
    if (kept.action.kind == ActionKind::region_end) result.push_back("-" + rank.run.regions.at(kept.action.region));
    if (kept.action.kind == ActionKind::barrier) result.emplace_back("barrier");
  }
  return result;
}

class Regions : public testing::TestWithParam<const char*> {};

TEST_P(Regions, are_recorded_as_the_program_marks_them) {
  const TemporaryDirectory directory;
  const Outcome traced = run_traced({.ranks = 2, .program = GetParam()}, directory / "trace");
  ASSERT_EQ(traced.status, 0) << traced.errors;
  for (const RecordedRank& rank : read_recording(directory / "trace"))
    EXPECT_THAT(marks(rank),
                ElementsAre("+outer", "+inner", "barrier", "-inner", "+inner", "barrier", "-inner", "-outer",
                            "+level 2", "barrier", "+level 1000000", "-level 1000000", "-level 2", "+seen", "-seen",
                            "-never begun", "+never ended", "+tab?and caf?", "-tab?and caf?"));
}

TEST_P(Regions, do_not_change_the_program) {
  const TemporaryDirectory directory;
  const Outcome plain = run_plain({.ranks = 1, .program = GetParam()});
  const Outcome traced = run_traced({.ranks = 1, .program = GetParam()}, directory / "trace");
  EXPECT_EQ(plain.status, 0) << plain.errors;
  EXPECT_EQ(plain.output, "rank 0 is done\n");
  EXPECT_EQ(traced.output, plain.output);
  EXPECT_EQ(traced.status, plain.status);
}

INSTANTIATE_TEST_SUITE_P(Programs, Regions, testing::Values("regions", "regions_fixed"),
                         [](const auto& program) { return std::string(program.param); });

TEST(RegionsOfThreads, that_may_not_call_mpi_are_left_alone) {
  const TemporaryDirectory directory;
  const Outcome traced = run_traced({.ranks = 1, .program = "regions", .arguments = "threads"}, directory / "trace");
  ASSERT_EQ(traced.status, 0) << traced.errors;
  const RecordedRank rank = read_recording(directory / "trace").at(0);
  EXPECT_TRUE(rank.finished);
  EXPECT_THAT(rank.run.regions, AllOf(Contains("outer"), Not(Contains("another thread's"))));
}

TEST(RegionsInFortran, are_recorded_and_change_nothing) {
  const TemporaryDirectory directory;
  EXPECT_EQ(run_plain({.ranks = 1, .program = "regions_f90"}).output, "done\n");
  const Outcome traced = run_traced({.ranks = 1, .program = "regions_f90"}, directory / "trace");
  EXPECT_EQ(traced.output, "done\n");
  EXPECT_THAT(marks(read_recording(directory / "trace").at(0)),
              ElementsAre("+outer", "+padded", "barrier", "-padded", "+level 7", "barrier", "-level 7", "-outer"));
}

/// CPU time is above 0 in every burst, so each burst is recorded.
TEST(RegionsCutBursts, into_kernels_of_their_own) {
  const TemporaryDirectory directory;
  const Outcome traced =
      run_traced({.ranks = 1, .program = "regions", .environment = "TIMELESS_COUNTER=cputime"}, directory / "trace");
  ASSERT_EQ(traced.status, 0) << traced.errors;
  const RecordedRank rank = read_recording(directory / "trace").at(0);
  // Of "outer" before "inner", in it, and after it; the second "inner" is the same code as the first.
  std::set<std::pair<std::uint64_t, std::uint64_t>> ends;
  for (const trace::Kernel& kernel : rank.run.kernels)
    ends.emplace(kernel.begin.offset, kernel.end.offset);
  EXPECT_EQ(ends.size(), rank.run.kernels.size());
  EXPECT_GE(rank.run.kernels.size(), 15U) << "at -O0, too, each mark is a place of its own";
}

} // namespace

} // namespace timeless::test
