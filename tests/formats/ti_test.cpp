#include "base/error.h"
#include "tests/formats/told.h"
#include "trace/check/check.h"
#include "trace/formats/ti/ti.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace timeless::trace::formats {
namespace {

using test::told;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using trace::test::actions_of;

class Ti : public testing::Test {
protected:
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = directory_ / name;
    std::filesystem::create_directories(path.parent_path());
    trace::test::write_bytes(path, text);
    return path;
  }

  std::unique_ptr<ImportedRun> read(const std::string& text) const { return open_ti(write("trace.txt", text)); }

  std::string complaint(const std::string& text) const {
    try {
      const auto run = read(text);
      for (Rank rank = 0; rank < run->run().size; ++rank)
        actions_of(*run, rank);
    } catch (const Error& error) {
      EXPECT_EQ(error.failure(), Failure::invalid_input);
      return error.what();
    }
    return "none";
  }

  timeless::test::TemporaryDirectory directory_;
};

std::uint64_t faults(const Source& source) {
  const CheckReport report = check(source);
  return report.inconsistent + report.incomplete;
}

TEST_F(Ti, the_ring_of_the_papers_gets_the_sizes_its_receives_do_not_name) {
  const auto run = read("0 init\n0 compute 1e6\n0 send 1 1e6\n0 recv 3\n0 finalize\n\n"
                        "1 init\n1 recv 0\n1 compute 1e6\n1 send 2 1e6\n1 finalize\n"
                        "2 init\n2 recv 1\n2 compute 1e6\n2 send 3 1e6\n2 finalize\n"
                        "3 init\n3 recv 2\n3 compute 1e6\n3 send 0 1e6\n3 finalize\n");
  EXPECT_EQ(run->run().size, 4);
  EXPECT_THAT(told(*run, 0),
              ElementsAre("compute 1000000", "Send 1 tag 0 1000000 B", "Recv 3 tag 0 1000000 B", "Finalize"));
  EXPECT_EQ(faults(*run), 0U);
  EXPECT_TRUE(run->run().complete());
  for (const RankRecord& record : run->run().ranks)
    EXPECT_EQ(record.actions, 4U);
}

TEST_F(Ti, says_how_far_it_is_in_the_two_readings_of_the_text) {
  std::string text;
  for (int line = 0; line < 20'000; ++line)
    text += "0 compute 1000\n";
  std::vector<std::uint64_t> told;
  open_ti(write("long", text), {.progress = [&](std::uint64_t done, std::uint64_t total) {
            EXPECT_EQ(total, 2 * text.size());
            told.push_back(done);
          }});
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_THAT(told, testing::SizeIs(testing::Ge(8U)));
  EXPECT_GT(told.back(), text.size());
}

TEST_F(Ti, rcv_and_a_missing_finalize_and_a_missing_last_newline_are_understood) {
  const auto run = read("p0 compute 2\np0 send p1 1e6\np1 rcv p0 1e6");
  EXPECT_THAT(told(*run, 1), ElementsAre("Recv 0 tag 0 1000000 B", "Finalize"));
  EXPECT_TRUE(run->run().complete());
}

CheckReport checked(const ImportedRun& run) {
  return check(run, {.receives_name_buffers = run.receives_name_buffers()});
}

TEST_F(Ti, blocking_receives_and_exchanges_may_have_larger_buffers_than_their_messages) {
  const auto run = read("0 send 1 7 100 1\n0 sendRecv 100 1 200 1 1 1\n0 finalize\n"
                        "1 recv 0 7 200 1\n1 sendRecv 100 0 100 0 1 1\n1 finalize\n");
  const CheckReport report = checked(*run);
  EXPECT_EQ(report.inconsistent, 0U);
  EXPECT_EQ(report.messages, 3U);
  EXPECT_EQ(report.message_bytes, 1200);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].severity, Severity::note);
  EXPECT_EQ(report.findings[0].words, "2 receives told with the size of the buffer, which is larger than the message");
}

TEST_F(Ti, receives_smaller_than_their_messages_are_inconsistent) {
  const auto run = read("0 send 1 7 100 1\n0 isend 1 8 100 1\n0 wait 0 1 8\n0 sendRecv 100 1 100 1 1 1\n0 finalize\n"
                        "1 recv 0 7 99 1\n1 irecv 0 8 99 1\n1 wait 0 1 8\n1 sendRecv 100 0 99 0 1 1\n1 finalize\n");
  const CheckReport report = checked(*run);
  EXPECT_EQ(report.inconsistent, 3U);
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].rank, 1);
  EXPECT_THAT(report.findings[0].words, HasSubstr("receives 396 bytes of the 400 that rank 0 sent"));
}

TEST_F(Ti, the_timed_print_of_a_replay_is_read_without_its_times) {
  const auto run = read("[0.001000] 0 compute 1e6 0.01000\n[0.010028] 0 send 1 1e6 0.009028\n"
                        "[0.010028] 1 rcv 0 1e6 0.010028\n");
  EXPECT_THAT(told(*run, 0), ElementsAre("compute 1000000", "Send 1 tag 0 1000000 B", "Finalize"));
  EXPECT_THAT(told(*run, 1), ElementsAre("Recv 0 tag 0 1000000 B", "Finalize"));
}

TEST_F(Ti, tags_counts_and_datatypes_of_the_present_dialect) {
  const auto run = read("0 init\n0 isend 1 7 100 0\n0 irecv 1 8 3 1\n0 wait 1 0 8\n0 wait 0 1 7\n0 finalize\n"
                        "1 init\n1 isend 0 8 3 1\n1 irecv 0 7 100 0\n1 waitall\n1 finalize\n");
  EXPECT_THAT(told(*run, 0),
              ElementsAre("Isend 1 tag 7 800 B", "Irecv 1 tag 8 12 B", "Wait #1", "Wait #0", "Finalize"));
  EXPECT_THAT(told(*run, 1), ElementsAre("Isend 0 tag 8 12 B", "Irecv 0 tag 7 800 B", "Waitall #0 #1", "Finalize"));
  EXPECT_EQ(faults(*run), 0U);
}

TEST_F(Ti, capitals_and_waits_without_a_message_are_those_of_older_simgrids) {
  const auto run = read("0 init MPE\n0 Isend 1 10\n0 Irecv 1 10\n0 wait\n0 wait\n0 allReduce 4 16\n0 finalize\n"
                        "1 init MPE\n1 Irecv 0 10\n1 Isend 0 10\n1 waitAll\n1 allReduce 4 16\n1 finalize\n");
  EXPECT_THAT(told(*run, 0), ElementsAre("Isend 1 tag 0 80 B", "Irecv 1 tag 0 80 B", "Wait #1", "Wait #0",
                                         "Allreduce 32 B", "compute 16", "Finalize"));
  EXPECT_EQ(faults(*run), 0U);
}

TEST_F(Ti, three_values_are_partner_size_and_type_where_other_messages_have_no_tag) {
  const auto old = read("0 send 1 10 0\n0 send 1 5\n1 recv 0 10 0\n1 recv 0 5\n");
  EXPECT_THAT(told(*old, 0), ElementsAre("Send 1 tag 0 80 B", "Send 1 tag 0 5 B", "Finalize"));
  const auto present = read("0 send 1 10 3\n0 finalize\n1 recv 0 10 3\n1 finalize\n");
  EXPECT_THAT(told(*present, 0), ElementsAre("Send 1 tag 10 3 B", "Finalize"));
}

TEST_F(Ti, every_collective_of_the_text) {
  const std::string both[] = {"barrier",
                              "bcast 10 1 0",
                              "reduce 10 5 1 0",
                              "scan 2 0 1",
                              "exscan 2 0 1",
                              "alltoall 3 3 1 1",
                              "allgather 3 3 1 1",
                              "gather 4 4 1 1 1",
                              "scatter 4 4 1 1 1",
                              "gatherv 4 4 4 1 1 1",
                              "allgatherv 4 4 4 1 1",
                              "scatterv 4 4 4 1 1 1",
                              "alltoallv 3 1 2 3 1 2 1 1",
                              "reducescatter 3 4 9 1"};
  std::string text;
  for (int rank = 0; rank < 2; ++rank)
    for (const std::string& line : both) {
      // What rank 0 gets of rank 1's counts must fit.
      const bool uneven = line.starts_with("alltoallv");
      text += std::to_string(rank) + " " +
              (uneven ? (rank == 0 ? "alltoallv 3 1 2 2 1 1 1 1" : "alltoallv 2 1 1 3 2 1 1 1") : line) + "\n";
    }
  const auto run = read(text);
  EXPECT_THAT(told(*run, 1),
              ElementsAre("Barrier", "Bcast 1 80 B", "Reduce 1 80 B", "compute 5", "Scan 8 B", "Exscan 8 B",
                          "Alltoall 12 B in 12 B", "Allgather 12 B in 12 B", "Gather 1 16 B in 16 B",
                          "Scatter 1 16 B in 16 B", "Gatherv 1 16 B in 16 in 16", "Allgatherv 16 B in 16 in 16",
                          "Scatterv 1 in 16 B out 16 out 16", "Alltoallv out 4 out 4 in 8 in 4",
                          "Reduce_scatter out 12 out 16", "compute 9", "Finalize"));
  EXPECT_EQ(faults(*run), 0U);
}

TEST_F(Ti, a_text_without_computation_has_no_speed_to_assume) {
  EXPECT_EQ(read("0 barrier\n0 allreduce 5 0\n0 finalize\n")->run().counter.unit, VolumeUnit::none);
  EXPECT_EQ(read("0 barrier\n0 compute 3\n0 finalize\n")->run().counter.unit, VolumeUnit::instructions);
  EXPECT_EQ(read("0 barrier\n0 allreduce 5 7\n0 finalize\n")->run().counter.unit, VolumeUnit::instructions);
}

TEST_F(Ti, a_list_names_files_beside_it_one_for_each_rank_or_one_for_all) {
  write("parts/a", "0 send 1 0 5 6\n0 finalize\n");
  write("parts/b", "1 recv 0 0 5 6\n0 finalize\n1 finalize\n");
  const auto run = open_ti(write("list", "parts/a\nparts/b\n"));
  EXPECT_THAT(told(*run, 1), ElementsAre("Recv 0 tag 0 5 B", "Finalize"));
  EXPECT_THAT(run->run().ranks[1].unrecorded_calls, ElementsAre(Pair("line of another rank", 1)));
  EXPECT_EQ(run->files().size(), 3U);

  write("parts/all", "0 barrier\n1 barrier\n1 finalize\n0 finalize\n");
  const auto shared = open_ti(write("single", "parts/all\n"));
  EXPECT_EQ(shared->run().size, 2);
  EXPECT_THAT(told(*shared, 0), ElementsAre("Barrier", "Finalize"));
}

TEST_F(Ti, what_cannot_be_read_is_counted_and_a_rank_without_finalize_is_incomplete) {
  const auto run = read("0 sleep 1\n0 put 1 5\n0 waitany 1\n0 wait 0 1 3\n0 finalize\n1 compute 3\n");
  EXPECT_THAT(run->run().ranks[0].unrecorded_calls,
              ElementsAre(Pair("'put'", 1), Pair("'waitany'", 1), Pair("sleep", 1), Pair("wait for no request", 1)));
  EXPECT_EQ(run->run().ranks[1].ending, Ending::unknown);
  EXPECT_FALSE(run->run().complete());
}

TEST_F(Ti, requests_tested_or_never_waited_for_are_completed_at_the_end) {
  const auto run = read("0 isend 1 0 5 6\n0 test 0 1 0\n0 finalize\n1 recv 0 0 5 6\n1 finalize\n");
  EXPECT_THAT(told(*run, 0), ElementsAre("Isend 1 tag 0 5 B", "Waitall #0", "Finalize"));
  EXPECT_EQ(faults(*run), 0U);
  EXPECT_EQ(run->run().ranks[0].notes.size(), 1U);
}

TEST_F(Ti, messages_without_a_partner_as_simgrid_s_tracer_writes_them_go_to_nobody) {
  const auto run = read("0 send -333 2 40 0\n0 irecv -333 2 40 0\n0 isend 1 2 4 6\n0 waitall\n0 finalize\n"
                        "1 recv 0 2 4 6\n1 sendRecv 4 -333 4 -333 6 6\n1 finalize\n");
  EXPECT_THAT(told(*run, 0),
              ElementsAre("Send tag 2 320 B", "Irecv tag 2 320 B", "Isend 1 tag 2 4 B", "Waitall #0 #1", "Finalize"));
  EXPECT_EQ(faults(*run), 0U);
}

TEST_F(Ti, receives_that_look_as_from_nobody_are_from_anybody_where_messages_need_them) {
  EXPECT_THAT(complaint("0 send 1 2 40 0\n0 finalize\n1 compute 1\n1 irecv -333 2 40 0\n1 wait -333 1 2\n1 finalize\n"),
              AllOf(HasSubstr("a receive from any rank"), HasSubstr("line 4")));
}

TEST_F(Ti, many_actions_come_in_blocks_and_as_often_as_asked) {
  std::string text;
  for (int i = 0; i < 20'000; ++i)
    text += "0 compute " + std::to_string(i + 1) + "\n1 compute 7\n";
  const auto run = read(text);
  for (int again = 0; again < 2; ++again) {
    const auto actions = actions_of(*run, 0);
    ASSERT_EQ(actions.size(), 20'001U);
    EXPECT_EQ(actions[19'999].volume, 20'000U);
  }
  EXPECT_EQ(run->run().ranks[1].actions, 20'001U);
}

TEST_F(Ti, hostile_text_is_refused_by_line) {
  EXPECT_THAT(complaint(""), HasSubstr("no action"));
  EXPECT_THAT(complaint("hello world\n"), HasSubstr("neither an action nor a file"));
  EXPECT_THAT(complaint("0 compute 1\nx compute 1\n"), HasSubstr("line 2"));
  EXPECT_THAT(complaint("0 compute\n"), HasSubstr("too few values"));
  EXPECT_THAT(complaint("0 compute nan\n"), HasSubstr("no number"));
  EXPECT_THAT(complaint("0 compute -5\n"), HasSubstr("no volume"));
  EXPECT_THAT(complaint("0 compute 1e300\n"), HasSubstr("no volume"));
  EXPECT_THAT(complaint("0 send 1 0 5 6\n"), HasSubstr("no rank of the run"));
  EXPECT_THAT(complaint("0 send 0 0 1e19 6\n"), HasSubstr("number of elements"));
  EXPECT_THAT(complaint("0 send 0 0 5 77\n"), HasSubstr("no datatype"));
  EXPECT_THAT(complaint("0 recv -555 -444 5 6\n"), HasSubstr("any rank"));
  EXPECT_THAT(complaint("0 compute 1\n1000000 compute 1\n"), HasSubstr("rank 1 has no line"));
  EXPECT_THAT(complaint("0 alltoallv 1 1\n"), HasSubstr("too few values"));
  EXPECT_THAT(complaint(std::string("0 compute ") + std::string(40U << 20U, ' ') + "1\n"), HasSubstr("32 MiB"));
}

TEST_F(Ti, what_is_no_file_is_refused) {
  EXPECT_THROW(open_ti(directory_ / "nothing"), Error);
  EXPECT_THROW(open_ti(directory_.path()), Error);
}

} // namespace
} // namespace timeless::trace::formats
