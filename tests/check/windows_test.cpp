#include "checked_program.h"

#include <functional>
#include <vector>

namespace timeless::trace::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Returns three ranks with a window, of which `transfers` says what rank 0 does.
Program window_program(const std::function<void(Program&, CommunicatorId)>& transfers) {
  Program program(3);
  const CommunicatorId window = program.add_communicator({0, 1, 2});
  program.all({.kind = ActionKind::win_create, .new_communicator = window});
  transfers(program, window);
  program.all({.kind = ActionKind::win_free}, window);
  program.finalize();
  return program;
}

TEST(CheckWindows, epochs_and_transfers_that_fit_are_clean) {
  const std::vector<Rank> others = {1, 2};
  const std::vector<Rank> origin = {0};
  expect_clean(window_program([&](Program& program, CommunicatorId window) {
    program.all({.kind = ActionKind::win_fence}, window);
    program.add(0, {.kind = ActionKind::put, .communicator = window, .peer = 2, .bytes = 8});
    program.add(0, {.kind = ActionKind::get, .communicator = window, .peer = 0, .receive_bytes = 8, .request = 0});
    program.wait(0, {0});
    program.all({.kind = ActionKind::win_fence}, window);
    for (int round = 0; round < 2; ++round) {
      program.add(0, {.kind = ActionKind::win_start, .communicator = window, .ranks = others});
      program.add(0, {.kind = ActionKind::win_complete, .communicator = window});
      for (const Rank other : others)
        program.add(other, {.kind = ActionKind::win_post, .communicator = window, .ranks = origin});
      program.add(1, {.kind = ActionKind::win_wait, .communicator = window});
      program.add(2, {.kind = ActionKind::win_test, .communicator = window});
      program.add(0, {.kind = ActionKind::win_lock, .communicator = window, .peer = 1});
      program.add(0, {.kind = ActionKind::win_lock, .communicator = window, .peer = 2});
      program.add(0, {.kind = ActionKind::win_flush, .communicator = window, .peer = 2});
      program.add(0, {.kind = ActionKind::win_unlock, .communicator = window, .peer = 1});
      program.add(0, {.kind = ActionKind::win_unlock, .communicator = window, .peer = 2});
      program.add(0, {.kind = ActionKind::win_lock_all, .communicator = window});
      program.add(0, {.kind = ActionKind::win_flush_all, .communicator = window});
      program.add(0, {.kind = ActionKind::win_unlock_all, .communicator = window});
    }
  }));
}

TEST(CheckWindows, a_target_outside_the_window_is_found) {
  const auto found = [](const Action& action) {
    return only_finding(window_program([&](Program& program, CommunicatorId window) {
             Action here = action;
             here.communicator = window;
             program.add(0, here);
           }))
        .words;
  };
  EXPECT_THAT(found({.kind = ActionKind::put, .peer = 3}), HasSubstr("has as its target rank 3"));
  EXPECT_THAT(found({.kind = ActionKind::get, .peer = no_rank}), HasSubstr("has as its target rank -1"));
  EXPECT_THAT(found({.kind = ActionKind::win_flush, .peer = no_rank}), HasSubstr("has as its target rank -1"));
}

TEST(CheckWindows, a_group_outside_the_window_is_found) {
  const std::vector<Rank> group = {3};
  const Finding finding = only_finding(window_program([&](Program& program, CommunicatorId window) {
    program.add(0, {.kind = ActionKind::win_start, .communicator = window, .ranks = group});
    program.add(0, {.kind = ActionKind::win_complete, .communicator = window});
  }));
  EXPECT_THAT(finding.words, HasSubstr("has in its group rank 3 of communicator 1, which has 3"));
}

/// Returns a program in which rank 2 starts an epoch of access to rank 0 twice, which posts so many.
Program posting_program(int posts) {
  const std::vector<Rank> origin = {2};
  const std::vector<Rank> target = {0};
  return window_program([&](Program& program, CommunicatorId window) {
    for (int epoch = 0; epoch < 2; ++epoch) {
      program.add(2, {.kind = ActionKind::win_start, .communicator = window, .ranks = target});
      program.add(2, {.kind = ActionKind::win_complete, .communicator = window});
    }
    for (int epoch = 0; epoch < posts; ++epoch) {
      program.add(0, {.kind = ActionKind::win_post, .communicator = window, .ranks = origin});
      program.add(0, {.kind = ActionKind::win_wait, .communicator = window});
    }
  });
}

TEST(CheckWindows, an_epoch_of_a_group_that_the_other_side_does_not_open_is_found) {
  expect_clean(posting_program(2));
  const Finding start = only_finding(posting_program(1));
  EXPECT_EQ(start.rank, 2);
  EXPECT_THAT(start.words, HasSubstr("starts 1 epoch of access on communicator 1 that rank 0 never posts"));
  const Finding post = only_finding(posting_program(4));
  EXPECT_EQ(post.rank, 0);
  EXPECT_THAT(post.words, HasSubstr("posts 2 epochs of exposure on communicator 1 that rank 2 never starts"));
}

TEST(CheckWindows, an_epoch_of_a_group_with_a_rank_that_was_cut_short_is_no_contradiction) {
  Program program = posting_program(1);
  program.description().ranks[0].ending = Ending::unknown;
  EXPECT_EQ(check(program).inconsistent, 0U);
  EXPECT_EQ(check(program).incomplete, 1U);
}

TEST(CheckWindows, the_end_of_an_epoch_that_has_not_begun_is_found) {
  const auto found = [](ActionKind kind, Rank target = no_rank) {
    return only_finding(window_program([&](Program& program, CommunicatorId window) {
             program.add(0, {.kind = kind, .communicator = window, .peer = target});
           }))
        .words;
  };
  EXPECT_THAT(found(ActionKind::win_complete), HasSubstr("calls Win_complete on communicator 1 without MPI_Win_start"));
  EXPECT_THAT(found(ActionKind::win_wait), HasSubstr("calls Win_wait on communicator 1 without MPI_Win_post"));
  EXPECT_THAT(found(ActionKind::win_test), HasSubstr("calls Win_test on communicator 1 without MPI_Win_post"));
  EXPECT_THAT(found(ActionKind::win_unlock_all), HasSubstr("without MPI_Win_lock_all"));
  EXPECT_THAT(found(ActionKind::win_unlock, 1), HasSubstr("for rank 1, which it has not locked"));
}

TEST(CheckWindows, an_epoch_within_itself_is_found) {
  const auto found = [](ActionKind begin, ActionKind end, Rank target = no_rank) {
    return only_finding(window_program([&](Program& program, CommunicatorId window) {
             program.add(0, {.kind = begin, .communicator = window, .peer = target});
             program.add(0, {.kind = begin, .communicator = window, .peer = target});
             program.add(0, {.kind = end, .communicator = window, .peer = target});
           }))
        .words;
  };
  EXPECT_THAT(found(ActionKind::win_start, ActionKind::win_complete), HasSubstr("before the end of the last"));
  EXPECT_THAT(found(ActionKind::win_post, ActionKind::win_wait), HasSubstr("before the end of the last"));
  EXPECT_THAT(found(ActionKind::win_lock_all, ActionKind::win_unlock_all), HasSubstr("a second time"));
  EXPECT_THAT(found(ActionKind::win_lock, ActionKind::win_unlock, 2), HasSubstr("rank 2, which it has locked already"));
}

TEST(CheckWindows, a_window_freed_with_an_epoch_open_is_found) {
  const auto found = [](ActionKind begin, Rank target = no_rank) {
    const Finding finding = only_finding(window_program([&](Program& program, CommunicatorId window) {
      program.add(0, {.kind = begin, .communicator = window, .peer = target});
    }));
    EXPECT_EQ(finding.action, 2U);
    return finding.words;
  };
  EXPECT_THAT(found(ActionKind::win_start), HasSubstr("calls Win_free on communicator 1 with an epoch open"));
  EXPECT_THAT(found(ActionKind::win_post), HasSubstr("with an epoch open"));
  EXPECT_THAT(found(ActionKind::win_lock_all), HasSubstr("with an epoch open"));
  EXPECT_THAT(found(ActionKind::win_lock, 1), HasSubstr("with an epoch open"));
}

TEST(CheckWindows, a_window_used_after_it_has_been_freed_is_found) {
  Program program(2);
  const CommunicatorId window = program.add_communicator({0, 1});
  program.all({.kind = ActionKind::win_allocate, .bytes = 8, .new_communicator = window});
  program.all({.kind = ActionKind::win_free}, window);
  program.add(1, {.kind = ActionKind::put, .communicator = window, .peer = 0, .bytes = 8});
  program.finalize();
  EXPECT_THAT(only_finding(program).words, HasSubstr("calls Put on communicator 1 after the window has been freed"));
}

TEST(CheckWindows, making_fencing_and_freeing_one_is_collective) {
  Program program(3);
  const CommunicatorId window = program.add_communicator({0, 1, 2});
  program.all({.kind = ActionKind::win_create, .new_communicator = window});
  for (const Rank rank : {0, 2})
    program.add(rank, {.kind = ActionKind::win_fence, .communicator = window});
  program.finalize();
  const CheckReport report = check(program);
  EXPECT_EQ(report.inconsistent, 1U);
  EXPECT_EQ(report.notes, 3U) << "nobody frees it";
  const auto contradiction = std::ranges::find(report.findings, Severity::inconsistent, &Finding::severity);
  EXPECT_THAT(contradiction->words, AllOf(HasSubstr("calls Win_fence"), HasSubstr("1 member of 3 never do")));
}

TEST(CheckWindows, an_epoch_open_at_the_end_is_found) {
  const auto found = [](ActionKind begin, Rank target = no_rank) {
    Program program(2);
    const CommunicatorId window = program.add_communicator({0, 1}); // made while recording was off
    program.add(1, {.kind = begin, .communicator = window, .peer = target});
    program.finalize();
    const Finding finding = only_finding(program);
    EXPECT_EQ(finding.rank, 1);
    return finding.words;
  };
  EXPECT_THAT(found(ActionKind::win_lock, 0), HasSubstr("finalizes with a lock of rank 0 open on communicator 1"));
  EXPECT_THAT(found(ActionKind::win_lock_all), HasSubstr("a lock of all ranks"));
  EXPECT_THAT(found(ActionKind::win_start), HasSubstr("an access epoch"));
  EXPECT_THAT(found(ActionKind::win_post), HasSubstr("an exposure epoch"));
}

TEST(CheckWindows, windows_never_freed_and_files_never_closed_are_notes) {
  Program program(1);
  const CommunicatorId window = program.add_communicator({0});
  const CommunicatorId file = program.add_communicator({0});
  const CommunicatorId closed = program.add_communicator({0});
  program.all({.kind = ActionKind::win_allocate, .new_communicator = window});
  program.all({.kind = ActionKind::file_open, .new_communicator = closed});
  program.all({.kind = ActionKind::file_close}, closed);
  program.all({.kind = ActionKind::file_open, .new_communicator = file});
  program.finalize();
  const CheckReport report = check(program);
  ASSERT_EQ(report.findings.size(), 2U);
  EXPECT_EQ(report.notes, 2U);
  EXPECT_THAT(report.findings[0].words, HasSubstr("never frees the window of communicator 1"));
  EXPECT_THAT(report.findings[1].words, HasSubstr("never closes the file of communicator 2"));
}

// Of an epoch that began while recording was off there is neither half, and nothing to find.
TEST(CheckWindows, transfers_need_no_epoch_in_the_trace) {
  expect_clean(window_program([](Program& program, CommunicatorId window) {
    program.add(0, {.kind = ActionKind::put, .communicator = window, .peer = 1, .bytes = 8});
  }));
}

} // namespace
} // namespace timeless::trace::test
