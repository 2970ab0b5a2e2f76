#include "recorded.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

/// How recordings end, and what prevents them.
namespace timeless::test {

namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

TEST(Ending, status_of_the_program_is_kept) {
  for (const char* name : {"returns_5", "exits"}) {
    const TemporaryDirectory directory;
    const Job job{.ranks = 2, .program = "cases", .arguments = name};
    EXPECT_EQ(run_traced(job, directory / "trace").status, run_plain(job).status) << name;
  }
}

TEST(Ending, without_finalize_is_marked_as_stopped) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_traced({.ranks = 1, .program = "cases", .arguments = "exits"}, directory / "trace");
  EXPECT_EQ(outcome.status, 3);
  const auto trace = read_recording(directory / "trace");
  ASSERT_EQ(trace.size(), 1U);
  EXPECT_TRUE(trace[0].finished);
  EXPECT_EQ(trace[0].record().ending, trace::Ending::stopped);
  EXPECT_THAT(trace[0].record().ending_reason, HasSubstr("without MPI_Finalize"));
  EXPECT_EQ(trace[0].actions.size(), 1U);
}

TEST(Ending, by_abort_is_marked_as_stopped_and_keeps_the_code) {
  const TemporaryDirectory directory;
  const Job job{.ranks = 2, .program = "cases", .arguments = "aborts"};
  const Outcome outcome = run_traced(job, directory / "trace");
  EXPECT_EQ(outcome.status, 7);
  EXPECT_EQ(outcome.status, run_plain(job).status);
  const auto trace = read_recording(directory / "trace");
  EXPECT_EQ(trace.at(0).record().ending, trace::Ending::stopped);
  EXPECT_THAT(trace.at(0).record().ending_reason, HasSubstr("MPI_Abort with code 7"));
  EXPECT_EQ(trace.at(0).actions.size(), 2U);
}

TEST(Ending, by_a_kill_leaves_every_action) {
  for (const char* const buffer : {"", "TIMELESS_BUFFER_SIZE=16"}) {
    const TemporaryDirectory directory;
    const Outcome outcome =
        run_traced({.ranks = 2, .program = "cases", .arguments = "dies", .environment = buffer}, directory / "trace");
    EXPECT_NE(outcome.status, 0);
    const auto trace = read_recording(directory / "trace");
    EXPECT_FALSE(trace.at(0).finished);
    EXPECT_EQ(trace.at(0).record().ending, trace::Ending::unknown);
    EXPECT_THAT(trace.at(0).record().ending_reason, HasSubstr("ended without saying why (SIGKILL"));
    EXPECT_EQ(trace.at(0).actions.size(), 1000U);
  }
}

struct Death {
  const char* program;
  const char* reason;
  trace::Ending ending = trace::Ending::stopped;
};

class Deaths : public testing::TestWithParam<Death> {};

TEST_P(Deaths, leave_every_action_and_the_reason_and_are_what_they_would_be_untraced) {
  const TemporaryDirectory directory;
  const Job job{.program = "cases", .arguments = GetParam().program};
  const Outcome plain = run_plain(job);
  const Outcome outcome = run_traced(job, directory / "trace");
  EXPECT_EQ(outcome.status, plain.status);
  EXPECT_EQ(outcome.output, plain.output);
  // Open MPI reports some signals, with addresses and process numbers.
  EXPECT_EQ(outcome.errors.empty(), plain.errors.empty()) << outcome.errors << "\nplain:\n" << plain.errors;
  const auto trace = read_recording(directory / "trace");
  ASSERT_EQ(trace.size(), 1U);
  EXPECT_EQ(trace[0].actions.size(), 1000U);
  EXPECT_EQ(trace[0].record().ending, GetParam().ending);
  EXPECT_THAT(trace[0].record().ending_reason, HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    Each, Deaths,
    testing::Values(Death{"terminated", "killed by SIGTERM (Terminated), which it sent itself"},
                    Death{"segfaults", "killed by SIGSEGV (Segmentation fault)"},
                    Death{"restores_default", "killed by SIGTERM (Terminated), which it sent itself"},
                    Death{"sent_segv", "killed by SIGSEGV (Segmentation fault), which it sent itself"},
                    Death{"sent_bus", "killed by SIGBUS (Bus error), which it sent itself"},
                    Death{"sent_fpe", "killed by SIGFPE (Floating point exception), which it sent itself"},
                    Death{"sent_xfsz", "killed by SIGXFSZ (File size limit exceeded), which it sent itself"},
                    Death{"sent_realtime", "killed by signal 37, which it sent itself"},
                    Death{"errs", "ended by MPI with status 6, in MPI_Send"},
                    Death{"calls_abort", "killed by SIGABRT (Aborted), which it sent itself"},
                    Death{"overflows", "killed by SIGSEGV (Segmentation fault)"},
                    Death{"leaves", "ended without saying why (SIGKILL, _exit", trace::Ending::unknown},
                    Death{"leaves_quickly", "ended by quick_exit without MPI_Finalize"},
                    Death{"becomes_another", "ended without saying why", trace::Ending::unknown}),
    [](const auto& death) { return std::string(death.param.program); });

TEST(Signals, that_the_program_handles_or_ignores_are_its_own) {
  const TemporaryDirectory directory;
  const Job job{.program = "cases", .arguments = "handles_signals"};
  const Outcome outcome = run_traced(job, directory / "trace");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, run_plain(job).output);
  EXPECT_THAT(outcome.output, HasSubstr("2 signals"));
  EXPECT_EQ(read_recording(directory / "trace").at(0).record().ending, trace::Ending::finalized);
}

TEST(Signals, are_handled_by_whom_the_program_would_be_told_untraced) {
  const TemporaryDirectory directory;
  const Job job{.program = "cases", .arguments = "asks_for_handlers"};
  const Outcome outcome = run_traced(job, directory / "trace");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, run_plain(job).output);
  EXPECT_THAT(outcome.output, HasSubstr("1 signals, its own\ndefault again"));
}

TEST(Children, that_use_mpi_are_killed_or_run_other_programs_do_not_reach_the_trace) {
  const TemporaryDirectory directory;
  const Job job{.ranks = 2, .program = "cases", .arguments = "has_children"};
  const Outcome outcome = run_traced(job, directory / "trace");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  // Of both ranks, in any order.
  for (const char* line : {"child 11\n", "killed by 15\n", "system 7\n", "piped\n"})
    EXPECT_THAT(outcome.output, ContainsRegex(std::string(line) + "(.*\n)*" + line));
  for (const RecordedRank& rank : read_recording(directory / "trace")) {
    EXPECT_EQ(rank.record().ending, trace::Ending::finalized);
    EXPECT_EQ(rank.actions.size(), 3U);
  }
}

TEST(Ending, of_the_ranks_that_another_rank_aborts_tells_who_ended_them) {
  const TemporaryDirectory directory;
  run_traced({.ranks = 2, .program = "cases", .arguments = "aborts"}, directory / "trace");
  const auto trace = read_recording(directory / "trace");
  EXPECT_EQ(trace.at(1).actions.size(), 1U);
  EXPECT_THAT(trace.at(1).record().ending_reason, testing::AnyOf(HasSubstr("killed by SIGTERM"), HasSubstr("SIGKILL")));
  EXPECT_THAT(trace.at(1).record().ending_reason, HasSubstr(", in MPI_Ssend"));
}

TEST(Ending, of_a_forked_child_is_none_of_the_rank) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_traced({.ranks = 2, .program = "cases", .arguments = "forks"}, directory / "trace");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  for (const RecordedRank& rank : read_recording(directory / "trace")) {
    EXPECT_EQ(rank.record().ending, trace::Ending::finalized);
    EXPECT_EQ(rank.actions.size(), 3U);
  }
}

TEST(Start, says_in_one_line_at_the_end_where_the_trace_is_and_what_to_do_next) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_traced({.ranks = 2, .program = "cases", .arguments = "chatter"}, directory / "trace");
  EXPECT_EQ(outcome.errors, "timeless: recorded 2 ranks, 1,001 actions on rank 0, counter none, in " +
                                (directory / "trace").string() + "; next: timeless gather " +
                                (directory / "trace").string() + "\n");
}

TEST(Start, records_a_single_process_without_mpirun) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_traced({.program = "cases", .arguments = "chatter"}, directory / "trace");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(read_recording(directory / "trace").at(0).run.size, 1);
}

/// The job ends with the code, and says once what is wrong.
void expect_refusal(const Outcome& outcome, int status, const std::string& what) {
  EXPECT_EQ(outcome.status, status) << outcome.errors;
  EXPECT_EQ(outcome.output, "");
  EXPECT_THAT(outcome.errors, HasSubstr("timeless: "));
  EXPECT_THAT(outcome.errors, HasSubstr(what));
  EXPECT_EQ(outcome.errors.find(what), outcome.errors.rfind(what)) << outcome.errors;
}

TEST(Start, refuses_to_overwrite_a_trace) {
  const TemporaryDirectory directory;
  const Job job{.ranks = 2, .program = "cases", .arguments = "chatter"};
  std::filesystem::create_directory(directory / "trace");
  std::ofstream(directory / "trace/rank-000001.tia") << "precious";
  expect_refusal(run_traced(job, directory / "trace"), 2, "there is a trace already");
  std::string kept;
  std::ifstream(directory / "trace/rank-000001.tia") >> kept;
  EXPECT_EQ(kept, "precious");
  EXPECT_FALSE(std::filesystem::exists(directory / "trace/rank-000000.tia")) << "rank 0 must not leave a file behind";
}

TEST(Start, in_a_directory_it_cannot_make_says_so_once_and_leaves_the_program_alone) {
  const TemporaryDirectory directory;
  std::ofstream(directory / "file") << "no directory";
  const Outcome outcome =
      run_traced({.ranks = 2, .program = "cases", .arguments = "chatter"}, directory / "file/trace");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, "chattered\n");
  EXPECT_THAT(outcome.errors,
              testing::StartsWith("timeless: NOT recorded, the program goes on: cannot create the trace"));
  EXPECT_EQ(outcome.errors.find("timeless: "), outcome.errors.rfind("timeless: ")) << outcome.errors;
}

TEST(Start, refuses_settings_that_make_no_sense) {
  const TemporaryDirectory directory;
  const auto with = [&](const char* environment) {
    return run_traced({.ranks = 2, .program = "cases", .arguments = "chatter", .environment = environment},
                      directory / "trace");
  };
  expect_refusal(with("TIMELESS_BUFFER_SIZE=many"), 2, "TIMELESS_BUFFER_SIZE");
  expect_refusal(with("TIMELESS_BUFFER_SIZE=3"), 2, "TIMELESS_BUFFER_SIZE");
  expect_refusal(with("TIMELESS_START=off"), 2, "TIMELESS_START");
  expect_refusal(with("TIMELESS_COUNTER=stopwatch"), 2, "stopwatch");
  EXPECT_FALSE(std::filesystem::exists(directory / "trace/rank-000000.tia"));
}

TEST(Preload, leaves_programs_without_mpi_alone) {
  const TemporaryDirectory directory;
  const Job job{.program = "/bin/sh", .arguments = "-c 'echo unharmed; exit 4'", .environment = "LD_BIND_NOW=1"};
  const Outcome outcome = run_traced(job, directory / "trace");
  EXPECT_EQ(outcome.status, 4);
  EXPECT_EQ(outcome.output, "unharmed\n");
  EXPECT_EQ(outcome.errors, "");
  EXPECT_FALSE(std::filesystem::exists(directory / "trace"));
}

TEST(Ending, may_come_from_a_handler_at_exit) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      run_traced({.ranks = 2, .program = "cases", .arguments = "finalizes_at_exit"}, directory / "trace");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  for (const RecordedRank& rank : read_recording(directory / "trace")) {
    EXPECT_EQ(rank.record().ending, trace::Ending::finalized);
    EXPECT_EQ(rank.actions.size(), 1U + 200U + 1U + 1U);
  }
}

TEST(Recording, stops_and_leaves_the_program_alone_when_the_file_cannot_grow) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      run_traced({.ranks = 1, .program = "cases", .arguments = "full_disk", .environment = "TIMELESS_BUFFER_SIZE=16"},
                 directory / "trace");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, "chattered\n");
  EXPECT_THAT(outcome.errors, HasSubstr("recording stopped on rank 0, the program goes on"));
  const auto trace = read_recording(directory / "trace");
  EXPECT_TRUE(trace.at(0).finished);
  EXPECT_EQ(trace.at(0).record().ending, trace::Ending::stopped);
  EXPECT_THAT(trace.at(0).record().ending_reason, HasSubstr("File too large"));
  EXPECT_FALSE(trace.at(0).actions.empty());
}

TEST(Recording, leaves_no_journal_behind_at_an_orderly_end) {
  const TemporaryDirectory directory;
  run_traced({.ranks = 2, .program = "cases", .arguments = "chatter"}, directory / "trace");
  for (const auto& entry : std::filesystem::directory_iterator(directory / "trace"))
    EXPECT_EQ(entry.path().extension(), ".tia");
}

TEST(Recording, does_without_a_journal_where_there_can_be_none_and_says_so) {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory / "trace/rank-000000.journal/in the way");
  const Outcome outcome = run_traced({.program = "cases", .arguments = "chatter"}, directory / "trace");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.errors, HasSubstr("no journal (cannot create the journal"));
  const auto trace = read_recording(directory / "trace");
  EXPECT_EQ(trace.at(0).record().ending, trace::Ending::finalized);
  EXPECT_THAT(trace.at(0).record().notes, testing::ElementsAre(HasSubstr("no journal")));
}

} // namespace

} // namespace timeless::test
