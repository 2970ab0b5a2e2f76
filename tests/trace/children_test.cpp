// How children end, and what they print until then.
#include "base/error.h"
#include "base/processes/apart.h"
#include "base/processes/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

namespace timeless {
namespace {

ExitStatus status_of(const std::string& shell_command) {
  return run_captured({"sh", "-c", shell_command}).status;
}

/// Returns how a child's death without an answer is told.
template <typename Death>
std::string told_of(Death death) {
  try {
    run_apart(
        [&](const ChildReport&) -> std::string {
          death();
          return {};
        },
        {.what = "no answer"});
  } catch (const Error& error) {
    return error.description();
  }
  return {};
}

TEST(ExitStatus, of_a_child_that_exits_above_128_is_no_signal) {
  const ExitStatus exited = status_of("exit 200");
  EXPECT_EQ(exited.code(), 200);
  EXPECT_EQ(exited.signal(), 0);
  EXPECT_EQ(died_of({}, exited), "");
}

TEST(ExitStatus, of_a_child_that_dies_of_a_signal_names_it) {
  const ExitStatus killed = status_of("kill -KILL $$");
  EXPECT_EQ(killed.code(), 128 + SIGKILL);
  EXPECT_EQ(killed.signal(), SIGKILL);
  EXPECT_EQ(died_of({}, killed), "it died of: Killed");
}

TEST(RunApart, takes_no_exit_status_for_a_signal) {
  EXPECT_EQ(told_of([] { ::_exit(128 + SIGSEGV); }), "no answer");
  EXPECT_EQ(told_of([] { ::raise(SIGKILL); }), "no answer: it died of: Killed");
}

TEST(RunCaptured, keeps_all_of_both_streams_whichever_ends_first) {
  const Captured captured =
      run_captured({"sh", "-c", "head -c 300000 /dev/zero >&2; exec 2>&-; head -c 500000 /dev/zero; exit 3"});
  EXPECT_EQ(captured.status.code(), 3);
  EXPECT_EQ(captured.errors.size(), 300000);
  EXPECT_EQ(captured.output.size(), 500000);
}

TEST(RunCaptured, ends_with_a_program_that_is_interrupted) {
  const auto before = std::signal(SIGUSR1, [](int) { end_captured_commands(); });
  const Captured captured = run_captured({"sh", "-c", "while kill -USR1 $PPID; do sleep 0.01; done"});
  std::signal(SIGUSR1, before);
  EXPECT_EQ(captured.status.signal(), SIGTERM);
}

TEST(RunCapturedAtMost, asks_a_child_to_end_that_keeps_its_streams_open) {
  bool late = false;
  const Captured captured = run_captured_at_most({"sh", "-c", "echo begun; exec sleep 600"}, {},
                                                 std::chrono::milliseconds(50), [&] { late = true; });
  EXPECT_TRUE(late);
  EXPECT_EQ(captured.output, "begun\n");
  EXPECT_EQ(captured.status.signal(), SIGTERM);
}

TEST(RunCapturedAtMost, ends_what_the_child_has_started_too) {
  const Captured captured = run_captured_at_most({"sh", "-c", "sh -c 'echo $$; sleep 600'; echo over"}, {},
                                                 std::chrono::milliseconds(200), [] {});
  const pid_t started = std::stoi(captured.output);
  for (int moment = 0; moment < 500 && ::kill(started, 0) == 0; ++moment)
    ::usleep(10'000); // until its new parent has looked at it
  EXPECT_NE(::kill(started, 0), 0) << "it ran on";
}

TEST(RunCapturedAtMost, does_not_wait_for_what_left_the_child) {
  const Captured captured = run_captured_at_most({"sh", "-c", "(setsid sleep 600 & echo $!); exec sleep 600"}, {},
                                                 std::chrono::milliseconds(200), [] {});
  const pid_t started = std::stoi(captured.output);
  EXPECT_EQ(::kill(started, SIGKILL), 0) << "it ran on, and nobody waited for it";
}

TEST(RunWatched, hands_over_what_is_printed_until_enough_was_heard) {
  std::string heard;
  const Captured captured = run_watched({"sh", "-c", "echo begun; exec sleep 600"}, {},
                                        {.heard =
                                             [&](std::string_view bytes) {
                                               heard += bytes;
                                               return false;
                                             },
                                         .limit = std::chrono::hours(1),
                                         .late = [] { ADD_FAILURE() << "the time was not over"; }});
  EXPECT_EQ(heard, "begun\n");
  EXPECT_EQ(captured.output, "");
  EXPECT_EQ(captured.status.signal(), SIGTERM);
}

TEST(RunWatched, ends_a_command_that_closed_its_streams_and_lives_on) {
  bool late = false;
  const Captured captured = run_watched({"sh", "-c", "exec >&- 2>&-; exec sleep 600"}, {},
                                        {.limit = std::chrono::milliseconds(50), .late = [&] { late = true; }});
  EXPECT_TRUE(late);
  EXPECT_EQ(captured.status.signal(), SIGTERM);
}

TEST(RunWatched, is_told_several_times_while_nothing_comes) {
  int told = 0;
  const Captured captured =
      run_watched({"sh", "-c", "sleep 1; echo $VALUE"}, {{"VALUE", "12"}}, {.meanwhile = [&] { ++told; }});
  EXPECT_GE(told, 2);
  EXPECT_EQ(captured.output, "12\n");
  EXPECT_EQ(captured.interrupted, 0);
}

TEST(RunWatched, passes_signals_on_and_makes_a_command_end_that_ignores_them) {
  bool sent = false;
  const Captured captured = run_watched({"sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.1; done"}, {},
                                        {.heard = [&](std::string_view) {
                                          if (!std::exchange(sent, true)) ::kill(::getpid(), SIGTERM);
                                          return true;
                                        }});
  EXPECT_EQ(captured.interrupted, SIGTERM);
  EXPECT_EQ(captured.status.signal(), SIGKILL);
}

TEST(FirstToEnd, is_the_one_that_has_whatever_the_order_they_began_in) {
  std::vector<Child> children;
  for (const char* seconds : {"600", "0.01", "600"})
    children.push_back(Child::execute({.command = {"sleep", seconds}}));
  const std::size_t first = first_to_end(children);
  EXPECT_EQ(first, 1U);
  EXPECT_EQ(children[first].wait().code(), 0);
  ::kill(children[2].process(), SIGKILL);
  EXPECT_EQ(first_to_end(children), 2U) << "one that was waited for does not count";
  EXPECT_EQ(children[2].wait().signal(), SIGKILL);
  ::kill(children[0].process(), SIGKILL);
}

} // namespace
} // namespace timeless
