#include "recorded.h"

#include "trace/archive/reader.h"

#include <gmock/gmock.h>

#include <algorithm>

/// Times beside the actions. No test says how long anything takes, but for calls that wait for one another.
namespace timeless::test {

namespace {

using trace::ActionKind;
using trace::ActionTimes;

struct TimedAction {
  ActionKind kind;
  ActionTimes times;
};

std::vector<TimedAction> timed_actions(const std::filesystem::path& file) {
  const trace::ArchiveReader archive(file);
  std::vector<TimedAction> actions;
  const auto stream = archive.open(archive.run().ranks.at(0).rank);
  trace::ActionBlock block;
  while (stream->next(block)) {
    stream->read_times(block);
    EXPECT_EQ(block.times().size(), block.size());
    for (std::size_t i = 0; i < block.times().size(); ++i)
      actions.push_back({block.dictionary()[block.sequence()[i]].kind, block.times()[i]});
  }
  return actions;
}

Outcome record_timed(const Job& job, const std::filesystem::path& directory) {
  Job timed = job;
  timed.environment += " TIMELESS_TIMESTAMPS=1";
  const Outcome outcome = run_traced(timed, directory);
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  return outcome;
}

TEST(Timestamps, every_action_has_its_times_and_they_rise) {
  const TemporaryDirectory directory;
  record_timed({.ranks = 4,
          .program = "calls_c",
          .arguments = (directory / "data").string(),
          .environment = "TIMELESS_COUNTER=cputime TIMELESS_BUFFER_SIZE=64"},
         directory / "trace");
  for (const char* file : {"rank-000000.tia", "rank-000003.tia"}) {
    const trace::ArchiveReader archive(directory / "trace" / file);
    EXPECT_TRUE(archive.finished());
    EXPECT_TRUE(archive.damage().empty());
    const auto actions = timed_actions(directory / "trace" / file);
    std::uint64_t last_exit = 0;
    for (const TimedAction& action : actions) {
      ASSERT_GE(action.times.entry, last_exit);
      ASSERT_GE(action.times.exit, action.times.entry);
      last_exit = action.times.exit;
    }
    ASSERT_FALSE(actions.empty());
    EXPECT_GE(archive.run().ranks[0].recorded_time, last_exit - actions.front().times.entry);
  }
}

TEST(Timestamps, of_a_killed_rank_are_there_up_to_its_last_call) {
  const TemporaryDirectory directory;
  run_traced({.ranks = 2, .program = "cases", .arguments = "dies", .environment = "TIMELESS_TIMESTAMPS=1"},
             directory / "trace");
  const auto actions = timed_actions(directory / "trace" / "rank-000000.tia");
  ASSERT_GE(actions.size(), 1000U);
  EXPECT_GT(actions.back().times.entry, actions.front().times.exit);
}

TEST(Timestamps, a_computation_ends_where_the_call_after_it_begins) {
  const TemporaryDirectory directory;
  record_timed({.ranks = 2, .program = "cases", .arguments = "chatter", .environment = "TIMELESS_COUNTER=cputime"},
         directory / "trace");
  const auto actions = timed_actions(directory / "trace" / "rank-000000.tia");
  std::size_t computations = 0;
  for (std::size_t i = 0; i + 1 < actions.size(); ++i)
    if (actions[i].kind == ActionKind::compute) {
      ++computations;
      EXPECT_EQ(actions[i].times.exit, actions[i + 1].times.entry) << i;
    }
  EXPECT_GT(computations, 5U);
}

TEST(Timestamps, a_call_lasts_from_its_entry_until_mpi_has_done) {
  const TemporaryDirectory directory;
  record_timed({.ranks = 1, .program = "regions"}, directory / "trace");
  const auto actions = timed_actions(directory / "trace" / "rank-000000.tia");
  const auto barriers = std::ranges::count(actions, ActionKind::barrier, &TimedAction::kind);
  EXPECT_EQ(barriers, 3);
  for (const TimedAction& action : actions)
    if (action.kind == ActionKind::barrier) {
      EXPECT_GT(action.times.exit, action.times.entry);
    }
}

TEST(Timestamps, a_call_of_several_actions_gives_its_time_once) {
  const TemporaryDirectory directory;
  record_timed({.ranks = 3, .program = "cases", .arguments = "very_late_wildcards", .environment = "TIMELESS_BUFFER_SIZE=16"},
         directory / "trace");
  const auto actions = timed_actions(directory / "trace" / "rank-000000.tia");
  const auto wait = std::ranges::find(actions, ActionKind::wait_all, &TimedAction::kind);
  ASSERT_NE(wait, actions.end());
  const auto resolved = std::ranges::find(actions, ActionKind::resolved, &TimedAction::kind);
  ASSERT_NE(resolved, actions.end());
  EXPECT_EQ(resolved->times.entry, resolved->times.exit);
  EXPECT_EQ(resolved->times.entry, wait->times.entry);
}

TEST(Timestamps, time_while_recording_is_off_is_not_recorded_time) {
  const TemporaryDirectory directory;
  record_timed({.ranks = 1, .program = "cases", .arguments = "sleeps_while_off"}, directory / "trace");
  const auto actions = timed_actions(directory / "trace" / "rank-000000.tia");
  // It sleeps for 0.4 s, but its recording ends right after its last action.
  EXPECT_GE(actions.back().times.exit, 400'000'000U);
  const std::uint64_t recorded = read_recording(directory / "trace").at(0).record().recorded_time;
  EXPECT_GT(recorded, 0U);
  EXPECT_LT(recorded, actions.back().times.exit);
}

TEST(Timestamps, are_not_recorded_unless_asked_for) {
  const TemporaryDirectory directory;
  for (const char* setting : {"", "TIMELESS_TIMESTAMPS=0", "TIMELESS_TIMESTAMPS="}) {
    std::filesystem::remove_all(directory / "trace");
    const Outcome outcome = run_traced({.ranks = 1, .program = "regions", .environment = setting}, directory / "trace");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    const trace::ArchiveReader archive(directory / "trace" / "rank-000000.tia");
    EXPECT_FALSE(has_times(archive));
    EXPECT_EQ(archive.run().ranks[0].recorded_time, 0U);
  }
}

TEST(Timestamps, a_setting_that_makes_no_sense_is_refused_in_one_line) {
  const TemporaryDirectory directory;
  for (const char* value : {"yes", "2", "-1", "1s"}) {
    const Outcome outcome =
        run_traced({.ranks = 2, .program = "regions", .environment = std::string("TIMELESS_TIMESTAMPS=") + value},
                   directory / "trace");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.output, "");
    EXPECT_THAT(outcome.errors, testing::HasSubstr(std::string("timeless: '") + value +
                                                   "' is neither yes nor no (TIMELESS_TIMESTAMPS): say 1 or 0\n"));
    EXPECT_FALSE(std::filesystem::exists(directory / "trace"));
  }
}

} // namespace

} // namespace timeless::test
