#include "checked_program.h"

#include <string>
#include <vector>

namespace timeless::trace::test {
namespace {

void mark(Program& program, ActionKind kind, RegionId region) {
  program.add(0, {.kind = kind, .region = region});
}

/// Returns one rank, and two regions that it may enter.
Program with_regions() {
  Program program(1);
  program.description().regions = {"outer", "inner"};
  return program;
}

std::vector<std::string> notes(const Program& program) {
  const CheckReport report = check(program);
  EXPECT_EQ(report.inconsistent + report.incomplete, 0U);
  std::vector<std::string> words;
  for (const Finding& finding : report.findings)
    words.push_back(std::to_string(finding.action) + " " + finding.words);
  return words;
}

TEST(CheckRegions, that_are_nested_entered_again_or_overlap_are_fine) {
  Program program = with_regions();
  for (const RegionId region : {0U, 1U, 1U, 0U})
    mark(program, ActionKind::region_begin, region);
  for (const RegionId region : {0U, 1U, 0U, 1U})
    mark(program, ActionKind::region_end, region);
  program.finalize();
  EXPECT_THAT(notes(program), ::testing::IsEmpty());
}

TEST(CheckRegions, an_end_without_a_begin_is_named) {
  Program program = with_regions();
  mark(program, ActionKind::region_begin, 0);
  mark(program, ActionKind::region_end, 1);
  mark(program, ActionKind::region_end, 0);
  mark(program, ActionKind::region_end, 0);
  program.finalize();
  EXPECT_THAT(notes(program), ::testing::ElementsAre("1 ends region 'inner', which it has not begun",
                                                     "3 ends region 'outer', which it has not begun"));
}

TEST(CheckRegions, a_begin_without_an_end_is_named_where_it_stands) {
  Program program = with_regions();
  mark(program, ActionKind::region_begin, 0);
  mark(program, ActionKind::region_begin, 1);
  mark(program, ActionKind::region_end, 0);
  program.finalize();
  EXPECT_THAT(notes(program), ::testing::ElementsAre("1 begins region 'inner' and never ends it"));
}

TEST(CheckRegions, each_thread_ends_its_own) {
  Program program = with_regions();
  const auto thread = [&](Rank number) { program.add(0, {.kind = ActionKind::thread, .peer = number}); };
  mark(program, ActionKind::region_begin, 0);
  thread(1);
  mark(program, ActionKind::region_end, 0);
  thread(0);
  mark(program, ActionKind::region_end, 0);
  program.finalize();
  EXPECT_THAT(notes(program), ::testing::ElementsAre("2 ends region 'outer', which it has not begun"));
}

TEST(CheckRegions, of_a_rank_that_was_cut_short_may_be_open) {
  Program program = with_regions();
  mark(program, ActionKind::region_begin, 0);
  const CheckReport report = check(program);
  EXPECT_EQ(report.notes, 0U);
  EXPECT_EQ(report.incomplete, 1U);
}

TEST(CheckTimes, that_rise_within_each_thread_are_fine) {
  Program program(1);
  const auto action = [&](ActionKind kind, Rank peer, ActionTimes times) {
    program.add(0, {.kind = kind, .peer = peer});
    program.times(0, times);
  };
  action(ActionKind::barrier, no_rank, {0, 100});
  action(ActionKind::thread, 1, {50, 50});
  action(ActionKind::barrier, no_rank, {50, 300});
  action(ActionKind::thread, 0, {100, 100});
  action(ActionKind::barrier, no_rank, {100, 100});
  program.finalize();
  program.times(0, {400, 400});
  expect_clean(program);
}

TEST(CheckTimes, that_fall_back_are_named_once) {
  Program program(1);
  for (const std::uint64_t entry : {100U, 40U, 30U}) {
    program.add(0, {.kind = ActionKind::barrier});
    program.times(0, {entry, entry + 10});
  }
  program.finalize();
  program.times(0, {500, 500});
  const CheckReport report = check(program);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.inconsistent, 1U);
  EXPECT_EQ(report.findings[0].action, 1U);
  EXPECT_EQ(report.findings[0].words, "begins 70 ns before the action before it has ended");
}

TEST(CheckTimes, that_end_before_the_rank_does_are_named) {
  Program program(1, 2);
  for (std::uint64_t entry = 0; entry < 4; ++entry) {
    program.add(0, {.kind = ActionKind::barrier});
    if (entry < 2) program.times(0, {entry, entry});
  }
  program.finalize();
  const CheckReport report = check(program);
  ASSERT_EQ(report.incomplete, 1U);
  EXPECT_EQ(report.findings[0].action, 2U);
  EXPECT_EQ(report.findings[0].words, "has no times from here on");
}

} // namespace
} // namespace timeless::trace::test
