#include "recorded.h"

#include "gather/merge/files_source.h"
#include "trace/check/check.h"

#include <gmock/gmock.h>

#include <csignal>
#include <iostream>
#include <map>

/// What few programs do, and MPI allows: errors that are handled, callbacks, profiling layers.
namespace timeless::test {

namespace {

using testing::_;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;
using trace::ActionKind;

Recording record_unusual(const std::string& name, int ranks = 2, const std::string& environment = {}) {
  Recording recording =
      record_beside_plain({.ranks = ranks, .program = "unusual", .arguments = name, .environment = environment});
  EXPECT_EQ(recording.traced.output, recording.plain.output);
  EXPECT_EQ(recording.traced.status, recording.plain.status) << recording.traced.errors;
  return recording;
}

std::vector<trace::Bytes> received(const RecordedRank& rank) {
  std::vector<trace::Bytes> bytes;
  for (const Kept& kept : rank.of_kind(ActionKind::receive))
    bytes.push_back(kept.action.bytes);
  return bytes;
}

TEST(ErrorHandlers, may_throw_through_mpi) {
  const Recording recording = record_unusual("throws");
  EXPECT_EQ(recording.plain.output, "3 caught\n3 caught\n");
  for (const RecordedRank& rank : recording.trace)
    EXPECT_THAT(kinds(rank),
                ElementsAre(ActionKind::comm_dup, ActionKind::comm_free, ActionKind::comm_dup, ActionKind::comm_free,
                            ActionKind::comm_dup, ActionKind::comm_free, ActionKind::barrier, ActionKind::finalize));
}

TEST(ErrorHandlers, may_jump_out_of_mpi) {
  const Recording recording = record_unusual("jumps");
  EXPECT_EQ(recording.plain.output, "3 jumped\n3 jumped\n");
  for (const RecordedRank& rank : recording.trace)
    EXPECT_THAT(kinds(rank), ElementsAre(ActionKind::barrier, ActionKind::finalize));
}

TEST(ErrorHandlers, may_abort_the_job_which_is_the_reason_of_its_end) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      run_traced({.ranks = 2, .program = "unusual", .arguments = "aborts_on_error"}, directory / "trace");
  EXPECT_EQ(outcome.status, 42);
  EXPECT_EQ(read_recording(directory / "trace").at(1).record().ending_reason, "MPI_Abort with code 42");
}

TEST(FailedCalls, of_messages_longer_than_their_buffers_have_received_them) {
  const Recording recording = record_unusual("truncated");
  EXPECT_EQ(recording.plain.output, "truncated\ntruncated\ntruncated\ntruncated\nin status\n");
  const RecordedRank& receiver = recording.trace.at(1);
  // Where MPI does not tell the whole length, at least the buffer's has come. That of a matched one has been asked for.
  const trace::Bytes told = tested_mpi() == "Open MPI" ? 64 : 8;
  EXPECT_THAT(received(receiver), ElementsAre(told, told, 64, 8, told));
  EXPECT_EQ(receiver.of_kind(ActionKind::exchange).at(0).action.receive_bytes, told);
  for (const Kept& receive : receiver.of_kind(ActionKind::receive))
    EXPECT_EQ(receive.action.peer, 0) << receive;
}

TEST(FailedCalls, of_collectives_to_which_too_much_came_have_taken_part) {
  const Recording recording = record_unusual("collectives_truncated");
  EXPECT_EQ(recording.plain.output, "truncated\ntruncated\ntruncated\n");
  for (const RecordedRank& rank : recording.trace)
    EXPECT_THAT(kinds(rank),
                ElementsAre(ActionKind::gather, ActionKind::barrier, ActionKind::broadcast, ActionKind::barrier,
                            ActionKind::broadcast, ActionKind::wait, ActionKind::barrier, ActionKind::finalize));
}

TEST(FailedCalls, of_collectives_to_which_too_much_came_say_so) {
  const Recording recording = record_unusual("collectives_truncated");
  for (const RecordedRank& rank : recording.trace)
    for (const Kept& kept : rank.actions) {
      const bool sized = kept.action.kind == ActionKind::gather || kept.action.kind == ActionKind::broadcast;
      EXPECT_EQ(kept.action.flags, sized && rank.record().rank == 0 ? trace::flag_truncated : 0) << kept;
    }
}

TEST(PersistentRequests, are_the_same_where_mpi_gives_them_another_handle) {
  const Recording recording = record_unusual("persistent_buffered");
  EXPECT_EQ(recording.plain.output, "changed\n");
  const RecordedRank& sender = recording.trace.at(0);
  EXPECT_TRUE(sender.record().unrecorded_calls.empty());
  std::map<trace::RequestId, int> starts;
  for (const Kept& send : sender.of_kind(ActionKind::send))
    ++starts[send.action.request];
  EXPECT_THAT(starts, UnorderedElementsAre(Pair(_, 4), Pair(_, 2)));
  EXPECT_EQ(sender.of_kind(ActionKind::wait_all).size(), 4U);
}

TEST(Descriptors, of_the_trace_that_the_program_closes_write_nothing_into_its_files) {
  const Recording recording = record_unusual("closes_others", 2, "TIMELESS_BUFFER_SIZE=16");
  EXPECT_EQ(recording.plain.output, "4 bytes of its own\n4 bytes of its own\n");
  for (const RecordedRank& rank : recording.trace) {
    EXPECT_EQ(rank.of_kind(ActionKind::barrier).size(), 100U);
    EXPECT_THAT(rank.record().notes, Contains(HasSubstr("closed descriptors that are not its own")));
  }
}

TEST(FailedCalls, return_what_they_return_untraced_and_are_not_recorded) {
  const Recording recording = record_unusual("refused");
  EXPECT_EQ(recording.plain.output.substr(0, 33), std::string(33, '1'));
  for (const RecordedRank& rank : recording.trace) {
    EXPECT_THAT(kinds(rank), ElementsAre(ActionKind::finalize));
    EXPECT_TRUE(rank.record().unrecorded_calls.empty());
  }
}

TEST(Callbacks, of_attributes_call_mpi_for_the_program) {
  const Recording recording = record_unusual("callbacks");
  for (const RecordedRank& rank : recording.trace) {
    EXPECT_THAT(kinds(rank),
                ElementsAre(ActionKind::comm_dup, ActionKind::comm_dup, ActionKind::comm_dup, ActionKind::comm_dup,
                            ActionKind::allreduce, ActionKind::barrier, ActionKind::comm_free, ActionKind::comm_free,
                            ActionKind::barrier, ActionKind::comm_free, ActionKind::comm_free, ActionKind::finalize));
    EXPECT_TRUE(rank.record().unrecorded_calls.empty());
    // Within the second duplication stands that of the communicator kept with the first.
    const auto duplicates = rank.of_kind(ActionKind::comm_dup);
    EXPECT_EQ(duplicates.at(2).action.communicator, duplicates.at(1).action.new_communicator);
    EXPECT_EQ(rank.of_kind(ActionKind::allreduce).at(0).action.communicator, duplicates.at(2).action.new_communicator);
  }
}

#ifndef TIMELESS_SANITIZED
TEST(Communicators, that_come_and_go_leave_no_memory_taken) {
  const Recording recording = record_unusual("short_lived_communicators");
  EXPECT_EQ(recording.traced.output, "as large as before\nas large as before\n");
  EXPECT_EQ(recording.trace.at(0).of_kind(ActionKind::comm_free).size(), 4000U);
}
#endif

TEST(ProfilingLayers, of_the_program_itself_leave_no_call_out) {
  const Recording recording = record_unusual("own_layer");
  EXPECT_EQ(recording.plain.output, "3\n");
  EXPECT_EQ(recording.trace.at(0).of_kind(ActionKind::send).size(), 3U);
  EXPECT_EQ(recording.trace.at(1).of_kind(ActionKind::receive).size(), 3U);
  EXPECT_EQ(recording.trace.at(0).of_kind(ActionKind::barrier).size(), 1U);
}

TEST(ProfilingLayers, in_a_library_see_what_they_see_untraced) {
  const Recording recording = record_beside_plain({.ranks = 2, .program = "layered"});
  EXPECT_EQ(recording.plain.output, "3 barriers, 42\n3 barriers, 42\n");
  EXPECT_EQ(recording.traced.output, recording.plain.output);
  for (const RecordedRank& rank : recording.trace)
    EXPECT_THAT(kinds(rank),
                ElementsAre(ActionKind::barrier, ActionKind::barrier, ActionKind::barrier, ActionKind::finalize));
}

TEST(ProfilingLayers, of_fortran_see_what_they_see_untraced) {
  for (const auto& [program, seen] : {std::pair{"fortran_layered_mpi", "3"}, {"fortran_layered_f08", "0"}}) {
    const Recording recording = record_beside_plain({.ranks = 2, .program = program});
    EXPECT_EQ(recording.plain.output, std::string(seen) + " barriers\n" + seen + " barriers\n");
    EXPECT_EQ(recording.traced.output, recording.plain.output);
    for (const RecordedRank& rank : recording.trace)
      EXPECT_THAT(kinds(rank),
                  ElementsAre(ActionKind::barrier, ActionKind::barrier, ActionKind::barrier, ActionKind::finalize));
  }
}

TEST(FunctionsOfMpi, that_a_program_finds_in_a_library_it_has_loaded_record) {
  for (const char* scope : {"", "local"}) {
    const Recording recording = record_beside_plain({.ranks = 2, .program = "loads_mpi", .arguments = scope});
    EXPECT_EQ(recording.plain.output, "1 2 none\n1 2 none\n") << recording.plain.errors;
    EXPECT_EQ(recording.traced.output, recording.plain.output) << recording.traced.errors;
    ASSERT_EQ(recording.trace.size(), 2U);
    for (const RecordedRank& rank : recording.trace)
      EXPECT_THAT(kinds(rank), ElementsAre(ActionKind::barrier, ActionKind::allreduce, ActionKind::finalize));
  }
}

TEST(StandardInterface, has_a_program_recorded_as_it_is_with_another_mpi) {
  const Recording known = record_beside_plain({.ranks = 2, .program = "to_itself"});
  EXPECT_EQ(known.plain.output, "3 from 0 with tag 5, 1\n") << known.plain.errors;
  EXPECT_EQ(known.traced.output, known.plain.output) << known.traced.errors;
  for (const char* const program :
       {TIMELESS_PROGRAMS "/on_standard_mpi", TIMELESS_PROGRAMS "/on_standard_mpi_that_says_so"}) {
    const Recording standard = record_beside_plain({.program = program});
    EXPECT_EQ(standard.plain.output, known.plain.output);
    EXPECT_EQ(standard.traced.output, known.plain.output) << standard.traced.errors;
    ASSERT_EQ(standard.trace.size(), 1U);
    EXPECT_EQ(standard.trace[0].actions, known.trace.at(0).actions);
    EXPECT_EQ(standard.trace[0].actions.size(), 15U);
    EXPECT_EQ(standard.trace[0].run.provenance.mpi_library, "a toy");
  }
}

/// Returns what timeless check counts as wrong.
std::uint64_t findings(const std::filesystem::path& directory) {
  const trace::CheckReport report = trace::check(*gather::open_run(directory));
  for (const trace::Finding& finding : report.findings)
    std::cerr << finding.words << "\n";
  return report.inconsistent + report.incomplete;
}

TEST(Callbacks, that_mpi_finalize_begins_with_are_recorded) {
  const Recording recording = record_unusual("used_at_finalize");
  for (const RecordedRank& rank : recording.trace) {
    // The last that was set comes first.
    EXPECT_THAT(kinds(rank),
                ElementsAre(ActionKind::comm_dup, ActionKind::comm_dup, ActionKind::barrier, ActionKind::comm_free,
                            ActionKind::exchange, ActionKind::barrier, ActionKind::comm_free, ActionKind::finalize));
    EXPECT_EQ(rank.record().ending, trace::Ending::finalized);
  }
}

TEST(Finalize, that_ends_in_a_callback_of_the_program_leaves_what_that_has_done) {
  const TemporaryDirectory directory;
  const Job job{.program = "unusual", .arguments = "ends_in_callback_of_finalize"};
  EXPECT_EQ(run_traced(job, directory / "trace").status, run_plain(job).status);
  const auto trace = read_recording(directory / "trace");
  EXPECT_THAT(kinds(trace.at(0)), ElementsAre(ActionKind::comm_dup, ActionKind::barrier, ActionKind::comm_free));
  EXPECT_EQ(trace.at(0).record().ending_reason,
            "killed by SIGTERM (Terminated), which it sent itself, in MPI_Finalize");
}

TEST(Finalize, that_ends_after_the_programs_callbacks_leaves_a_whole_recording) {
  const TemporaryDirectory directory;
  const Job job{.program = "unusual", .arguments = "ends_late_in_finalize"};
  const int plain = run_plain(job).status;
  if (plain == 0) GTEST_SKIP() << "this MPI, as Open MPI 5, leaves the attributes of MPI_COMM_WORLD alone";
  EXPECT_EQ(plain, 128 + SIGTERM);
  EXPECT_EQ(run_traced(job, directory / "trace").status, plain);
  const auto trace = read_recording(directory / "trace");
  EXPECT_THAT(kinds(trace.at(0)), ElementsAre(ActionKind::barrier, ActionKind::finalize));
  EXPECT_EQ(trace.at(0).record().ending, trace::Ending::finalized);
}

TEST(FreedRequests, that_were_cancelled_before_are_recorded_as_cancelled) {
  const TemporaryDirectory directory;
  const Job job{.ranks = 2, .program = "unusual", .arguments = "cancels_and_frees"};
  const Outcome outcome = run_traced(job, directory / "trace");
  EXPECT_EQ(outcome.output, run_plain(job).output);
  EXPECT_EQ(outcome.output, "1\n1\n");
  for (const RecordedRank& rank : read_recording(directory / "trace"))
    EXPECT_THAT(kinds(rank), ElementsAre(ActionKind::receive, ActionKind::cancelled, ActionKind::request_free,
                                         ActionKind::receive, ActionKind::cancelled, ActionKind::request_free,
                                         ActionKind::barrier, ActionKind::finalize));
  EXPECT_EQ(findings(directory / "trace"), 0U);
}

TEST(FreedRequests, of_receives_from_any_source_get_theirs) {
  // Also where they are in the file before.
  for (const auto& [buffer, resolved] : {std::pair{"", 0U}, {"TIMELESS_BUFFER_SIZE=16", 2U}}) {
    const TemporaryDirectory directory;
    const Job job{.ranks = 2, .program = "unusual", .arguments = "frees_receives", .environment = buffer};
    const Outcome outcome = run_traced(job, directory / "trace");
    EXPECT_EQ(outcome.output, run_plain(job).output);
    EXPECT_EQ(outcome.output, "1 1\n1 1\n");
    for (const RecordedRank& rank : read_recording(directory / "trace")) {
      EXPECT_EQ(rank.of_kind(ActionKind::request_free).size(), 2U);
      EXPECT_EQ(rank.of_kind(ActionKind::resolved).size(), resolved);
    }
    EXPECT_EQ(findings(directory / "trace"), 0U);
  }
}

TEST(Start, of_a_request_that_the_recorder_does_not_know_is_counted) {
  const Recording recording = record_unusual("persistent_collective");
  if (recording.plain.output == "none\nnone\n") GTEST_SKIP() << "this MPI has no persistent collectives";
  EXPECT_EQ(recording.plain.output, "0\n0\n");
  for (const RecordedRank& rank : recording.trace)
    EXPECT_THAT(rank.record().unrecorded_calls, ElementsAre(testing::Pair("MPI_Start", 3U)));
  EXPECT_THAT(recording.traced.errors, HasSubstr("NOT recorded: MPI_Start (3 calls)"));
}

TEST(Finalize, is_recorded_also_while_recording_is_switched_off) {
  for (const RecordedRank& rank : record_unusual("switched_off_at_the_end").trace)
    EXPECT_THAT(kinds(rank), ElementsAre(ActionKind::barrier, ActionKind::finalize));
}

TEST(Finalize, may_come_from_a_librarys_destructor) {
  const Recording recording = record_beside_plain({.ranks = 2, .program = "begun_by_library"});
  EXPECT_EQ(recording.traced.output, "2\n2\n");
  EXPECT_EQ(recording.plain.output, recording.traced.output);
  for (const RecordedRank& rank : recording.trace) {
    EXPECT_EQ(rank.record().ending, trace::Ending::finalized);
    EXPECT_THAT(kinds(rank), ElementsAre(ActionKind::allreduce, ActionKind::finalize));
  }
}

} // namespace

} // namespace timeless::test
