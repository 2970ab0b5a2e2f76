#include "recorded.h"

#include <gmock/gmock.h>

#include <set>
#include <string>

/// Calls on files, generalized requests and local calls, in C and in Fortran three ways.
namespace timeless::test {

namespace {

using trace::ActionFamily;
using trace::ActionKind;

constexpr trace::Bytes part = 16;

class FurtherForm : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(SameProgram, FurtherForm,
                         testing::Values("further_calls_c", "further_calls_mpif", "further_calls_mpi",
                                         "further_calls_f08"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(FurtherForm, prints_and_returns_the_same_traced_and_untraced) {
  const Recording& recording = recording_of(GetParam());
  EXPECT_EQ(recording.plain.status, 0) << recording.plain.errors;
  EXPECT_EQ(recording.traced.status, 0) << recording.traced.errors;
  EXPECT_EQ(recording.traced.output, recording.plain.output);
  EXPECT_THAT(recording.plain.output, testing::HasSubstr("rank 3: "));
}

TEST_P(FurtherForm, makes_the_actions_of_the_c_program_and_leaves_no_call_out) {
  const auto& expected = recording_of("further_calls_c").trace;
  const auto& actual = recording_of(GetParam()).trace;
  ASSERT_EQ(expected.size(), std::size_t{recorded_ranks});
  ASSERT_EQ(actual.size(), std::size_t{recorded_ranks});
  for (std::size_t rank = 0; rank < recorded_ranks; ++rank) {
    EXPECT_THAT(actual[rank].actions, testing::ContainerEq(expected[rank].actions)) << "rank " << rank;
    EXPECT_THAT(actual[rank].record().unrecorded_calls, testing::IsEmpty());
  }
}

TEST(SameProgramFurther, holds_every_kind_of_call_on_files_and_generalized_requests) {
  std::set<ActionKind> found;
  std::set<std::string> names;
  for (const RecordedRank& rank : recording_of("further_calls_c").trace)
    for (const Kept& kept : rank.actions) {
      found.insert(kept.action.kind);
      names.insert(trace::mpi_name(kept.action));
    }
#define ACTION_KIND(code, name, of, mpi_name, ...)                                                                     \
  if (ActionFamily::of == ActionFamily::file || ActionFamily::of == ActionFamily::file_collective ||                   \
      ActionFamily::of == ActionFamily::generalized) {                                                                 \
    EXPECT_TRUE(found.contains(ActionKind::name)) << #name;                                                            \
  }
#include "trace/model/action_kinds.def"
#undef ACTION_KIND
  for (const char* name : {"File_iread", "File_iwrite", "File_iread_all", "File_iwrite_at_all", "File_iread_shared"})
    EXPECT_TRUE(names.contains(name)) << name;
}

// What the MPI library calls to serve a file is its own.
TEST(SameProgramFurther, records_bytes_moved_by_each_call_once) {
  for (const RecordedRank& rank : recording_of("further_calls_c").trace) {
    for (const ActionKind kind : {ActionKind::file_read_all, ActionKind::file_read_at_all, ActionKind::file_read,
                                  ActionKind::file_read_shared, ActionKind::file_read_ordered})
      for (const Kept& kept : rank.of_kind(kind))
        EXPECT_EQ(kept.action.receive_bytes, part) << kept;
    for (const ActionKind kind : {ActionKind::file_write_all, ActionKind::file_write_at, ActionKind::file_write,
                                  ActionKind::file_write_shared, ActionKind::file_write_all_begin})
      for (const Kept& kept : rank.of_kind(kind))
        EXPECT_EQ(kept.action.bytes, part) << kept;
    EXPECT_EQ(rank.of_kind(ActionKind::file_write_all).size(), 2U);
    EXPECT_EQ(rank.of_kind(ActionKind::file_write_all_end).at(0).action.bytes, 0U);
    EXPECT_EQ(rank.of_kind(ActionKind::file_preallocate).at(0).action.bytes, 2000U);
    EXPECT_EQ(rank.of_kind(ActionKind::file_delete).size(), rank.record().rank == 0 ? 1U : 0U);
  }
}

TEST_P(FurtherForm, records_of_a_short_read_what_was_there) {
  for (const RecordedRank& rank : recording_of(GetParam()).trace) {
    const auto reads = rank.of_kind(ActionKind::file_read_at);
    ASSERT_EQ(reads.size(), 3U);
    EXPECT_EQ(reads[0].action.receive_bytes, part);
    EXPECT_EQ(reads[1].action.receive_bytes, 4U) << "before the end of the file";
    EXPECT_NE(reads[2].action.request, trace::no_request);
  }
}

TEST(SameProgramFurther, gives_each_opened_file_a_communicator_that_all_ranks_know) {
  std::set<std::uint64_t> identities;
  for (const RecordedRank& rank : recording_of("further_calls_c").trace) {
    const auto opened = rank.of_kind(ActionKind::file_open);
    ASSERT_EQ(opened.size(), 2U);
    for (const Kept& open : opened) {
      const trace::Communicator& own = rank.run.communicators.at(open.action.new_communicator);
      EXPECT_EQ(own.members, rank.run.communicators.at(trace::world_communicator).members);
      identities.insert(own.identity);
    }
    for (const Kept& sync : rank.of_kind(ActionKind::file_sync))
      EXPECT_EQ(sync.action.communicator, opened[1].action.new_communicator);
  }
  EXPECT_EQ(identities.size(), 2U);
}

TEST_P(FurtherForm, completes_generalized_requests_like_others_and_says_when_they_may) {
  for (const RecordedRank& rank : recording_of(GetParam()).trace) {
    const auto started = rank.of_kind(ActionKind::grequest_start);
    const auto complete = rank.of_kind(ActionKind::grequest_complete);
    ASSERT_EQ(started.size(), 3U);
    ASSERT_EQ(complete.size(), 3U);
    for (std::size_t which = 0; which < 3; ++which)
      EXPECT_THAT(complete[which].requests, testing::ElementsAre(started[which].action.request));
    const auto together = rank.of_kind(ActionKind::wait_all);
    ASSERT_EQ(together.size(), 1U);
    EXPECT_EQ(together[0].requests.size(), 3U);
    const auto cancelled = rank.of_kind(ActionKind::cancelled);
    ASSERT_EQ(cancelled.size(), 1U);
    EXPECT_EQ(cancelled[0].action.request, started[2].action.request);
  }
}

TEST_P(FurtherForm, takes_the_sizes_of_derived_types) {
  for (const RecordedRank& rank : recording_of(GetParam()).trace) {
    EXPECT_EQ(rank.of_kind(ActionKind::exchange).at(0).action.bytes, part);
    EXPECT_EQ(rank.of_kind(ActionKind::broadcast).at(0).action.bytes, part);
  }
}

TEST(SameProgramFurther, with_large_counts_makes_the_same_actions) {
  const TemporaryDirectory directory;
  const auto with = [&](const std::string& counts) {
    return record_beside_plain({.ranks = 3,
                                .program = "large_counts",
                                .arguments = counts + " " + (directory / ("data_of_" + counts)).string()});
  };
  const Recording large = with("large");
  const Recording small = with("small");
  EXPECT_EQ(large.traced.output, "done\n") << large.traced.errors;
  ASSERT_EQ(large.trace.size(), 3U);
  ASSERT_EQ(small.trace.size(), 3U);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(large.trace[rank].actions, small.trace[rank].actions) << "rank " << rank;
    EXPECT_TRUE(large.trace[rank].record().unrecorded_calls.empty());
  }
  EXPECT_EQ(large.trace[0].of_kind(ActionKind::receive).at(0).action.bytes, 12U);
  EXPECT_THAT(large.trace[0].of_kind(ActionKind::gatherv).at(0).receive_counts, testing::ElementsAre(4, 8, 12));
}

TEST(SameProgramFurther, with_calls_of_mpi_4_has_every_message_and_collective) {
  if (run_plain({.program = "of_mpi_4"}).output == "an older MPI\n") GTEST_SKIP() << "needs an MPI of MPI-4";
  const Recording recording = record_beside_plain({.ranks = 3, .program = "of_mpi_4"});
  EXPECT_EQ(recording.plain.output, "done\n") << recording.plain.errors;
  EXPECT_EQ(recording.traced.output, recording.plain.output) << recording.traced.errors;
  ASSERT_EQ(recording.trace.size(), 3U);
  const RecordedRank& last = recording.trace[2];
  using K = ActionKind;
  // The last rank has nobody above it. The barrier is before the last part of a message is ready.
  EXPECT_THAT(kinds(last),
              testing::ElementsAre(K::send, K::receive, K::wait, K::receive, K::wait_all,          // Isendrecv
                                   K::broadcast, K::wait, K::allreduce, K::alltoallv, K::wait_all, // persistent
                                   K::broadcast, K::wait, K::allreduce, K::alltoallv, K::wait_all, // again
                                   K::receive, K::barrier, K::send, K::wait_all,                   // in parts
                                   K::receive, K::barrier, K::send, K::wait_all,                   // again
                                   K::comm_create_group, K::barrier, K::comm_free,                 // of a group
                                   K::comm_dup, K::wait, K::barrier, K::comm_free,                 // with hints
                                   K::comm_create_group, K::intercomm_create, K::barrier, K::comm_free, K::finalize));
  EXPECT_THAT(last.actions.at(2).requests,
              testing::UnorderedElementsAre(last.actions[0].action.request, last.actions[1].action.request));
  EXPECT_THAT(last.actions.at(13).counts, testing::ElementsAre(4, 4, 4)) << "as they were when it was made";
  EXPECT_EQ(last.actions.at(17).action.bytes, 32U);
  const std::map<std::string, std::uint64_t> early{{"MPI_Parrived", 1}};
  EXPECT_EQ(last.record().unrecorded_calls, early) << "what no action can say";
}

TEST(SameProgramFurther, with_sessions_in_place_of_init_is_recorded_from_the_first_to_the_last) {
  if (run_plain({.program = "sessions"}).output == "an older MPI\n") GTEST_SKIP() << "needs an MPI of MPI-4";
  const Recording recording = record_beside_plain({.ranks = 3, .program = "sessions"});
  EXPECT_EQ(recording.plain.output, "3\n") << recording.plain.errors;
  EXPECT_EQ(recording.traced.output, recording.plain.output) << recording.traced.errors;
  ASSERT_EQ(recording.trace.size(), 3U);
  using K = ActionKind;
  for (const RecordedRank& rank : recording.trace) {
    EXPECT_THAT(kinds(rank), testing::ElementsAre(K::comm_create_group, K::exchange, K::comm_free, K::comm_create_group,
                                                  K::allreduce, K::comm_free, K::finalize));
    EXPECT_EQ(rank.run.size, 3);
    EXPECT_EQ(rank.record().ending, trace::Ending::finalized);
  }
}

} // namespace

} // namespace timeless::test
