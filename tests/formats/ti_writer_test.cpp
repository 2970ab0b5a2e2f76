#include "base/error.h"
#include "replay/lowering.h"
#include "tests/trace/samples.h"
#include "trace/check/check.h"
#include "trace/formats/ti/ti.h"
#include "trace/formats/ti/ti_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace timeless::trace::formats {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Pair;

class TiWriter : public testing::Test {
protected:
  ExportReport write(const Source& source) {
    return write_ti(source, output_, {.force = true, .lower = replay::lowering(source.run()), .progress = {}});
  }

  /// Returns the lines of a rank between init and finalize.
  std::vector<std::string> lines(Rank rank) const {
    const std::string text = trace::test::file_bytes(output_.string() + "_files/rank-" + std::to_string(rank) + ".txt");
    EXPECT_TRUE(text.ends_with('\n')) << "SimGrid drops a last line without an end";
    std::istringstream stream(text);
    std::vector<std::string> all;
    for (std::string line; std::getline(stream, line);)
      all.push_back(line.substr(line.find(' ') + 1));
    EXPECT_EQ(all.front(), "init");
    EXPECT_EQ(all.back(), "finalize");
    return {all.begin() + 1, all.end() - 1};
  }

  timeless::test::TemporaryDirectory directory_;
  std::filesystem::path output_ = directory_ / "run.txt";
};

TEST_F(TiWriter, messages_name_partner_tag_count_and_datatype) {
  MemorySource program(2);
  program.compute(0, 1000);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .tag = 7, .bytes = 100});
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .tag = 8, .bytes = 5});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .tag = 7, .bytes = 100});
  program.add(1, {.kind = ActionKind::send, .peer = 0, .tag = 8, .bytes = 5});
  program.finalize();
  const ExportReport report = write(program);
  EXPECT_THAT(lines(0), ElementsAre("compute 1000", "send 1 7 100 6", "recv 1 8 5 6"));
  EXPECT_THAT(report.lowered, IsEmpty());
  EXPECT_THAT(report.lost, IsEmpty());
  EXPECT_EQ(report.actions, 7U);
  EXPECT_EQ(report.files.size(), 3U);
}

TEST_F(TiWriter, more_than_an_int_counts_are_larger_elements) {
  MemorySource program(2);
  constexpr Bytes three_gigabytes = 3'000'000'000;
  constexpr Bytes twenty_gigabytes = 20'000'000'000;
  for (const Bytes bytes : {three_gigabytes, twenty_gigabytes}) {
    program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = bytes});
    program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = bytes});
  }
  program.add(0, {.kind = ActionKind::allreduce, .bytes = three_gigabytes, .element_bytes = 1});
  program.add(1, {.kind = ActionKind::allreduce, .bytes = three_gigabytes, .element_bytes = 1});
  program.finalize();
  write(program);
  EXPECT_THAT(lines(0), ElementsAre("send 1 0 375000000 0", "send 1 0 1250000000 14", "allreduce 375000000 0 0"));

  MemorySource beyond(1);
  beyond.add(0, {.kind = ActionKind::send, .peer = 0, .bytes = Bytes{1} << 40U});
  beyond.finalize();
  EXPECT_THROW(write(beyond), Error);
}

TEST_F(TiWriter, a_wait_names_its_message_and_a_waitall_waits_for_no_more_than_it_did) {
  MemorySource program(2);
  const RequestId both[] = {0, 1};
  const RequestId second[] = {1};
  const RequestId third[] = {2};
  program.add(0, {.kind = ActionKind::send, .peer = 1, .tag = 1, .bytes = 8, .request = 0});
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .tag = 2, .bytes = 8, .request = 1});
  program.add(0, {.kind = ActionKind::wait_all, .requests = both});
  program.add(0, {.kind = ActionKind::send, .peer = 1, .tag = 3, .bytes = 8, .request = 0});
  program.add(0, {.kind = ActionKind::send, .peer = 1, .tag = 4, .bytes = 8, .request = 1});
  program.add(0, {.kind = ActionKind::send, .peer = 1, .tag = 5, .bytes = 8, .request = 2});
  program.add(0, {.kind = ActionKind::wait_all, .requests = both});
  program.add(0, {.kind = ActionKind::wait_any, .requests = third});
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .tag = 6, .bytes = 8, .request = 1});
  program.add(0, {.kind = ActionKind::wait, .requests = second});
  program.finalize();
  const ExportReport report = write(program);
  EXPECT_THAT(lines(0),
              ElementsAre("isend 1 1 8 6", "irecv 1 2 8 6", "waitall", "isend 1 3 8 6", "isend 1 4 8 6",
                          "isend 1 5 8 6", "wait 0 1 3", "wait 0 1 4", "wait 0 1 5", "irecv 1 6 8 6", "wait 1 0 6"));
  EXPECT_THAT(report.lowered, ElementsAre(Pair("Waitany as wait for what it completed", 1)));
}

TEST_F(TiWriter, messages_of_other_communicators_have_world_ranks_and_tags_nobody_else_has) {
  MemorySource program(3);
  const CommunicatorId turned = program.add_communicator({2, 0});
  program.add(0, {.kind = ActionKind::send, .peer = 2, .tag = 5, .bytes = 1});
  program.add(2, {.kind = ActionKind::receive, .peer = 0, .tag = 5, .bytes = 1});
  program.add(0, {.kind = ActionKind::send, .communicator = turned, .peer = 0, .tag = 5, .bytes = 2});
  program.add(2, {.kind = ActionKind::receive, .communicator = turned, .peer = 1, .tag = 5, .bytes = 2});
  program.finalize();
  write(program);
  EXPECT_THAT(lines(0), ElementsAre("send 2 5 1 6", "send 2 6 2 6"));
  EXPECT_THAT(lines(2), ElementsAre("recv 0 5 1 6", "recv 0 6 2 6"));
}

TEST_F(TiWriter, wildcards_are_what_they_received_and_cancelled_receives_nothing) {
  MemorySource program(2);
  const RequestId first[] = {0};
  program.add(0, {.kind = ActionKind::receive,
                  .flags = flag_wildcard,
                  .peer = any_rank,
                  .tag = any_tag,
                  .bytes = 64,
                  .request = 0});
  program.add(0, {.kind = ActionKind::resolved, .peer = 1, .tag = 9, .bytes = 8, .request = 0});
  program.add(0, {.kind = ActionKind::wait, .requests = first});
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .tag = 3, .bytes = 64, .request = 0});
  program.add(0, {.kind = ActionKind::cancelled, .request = 0});
  program.add(0, {.kind = ActionKind::wait, .requests = first});
  program.add(1, {.kind = ActionKind::send, .peer = 0, .tag = 9, .bytes = 8});
  program.finalize();
  write(program);
  EXPECT_THAT(lines(0), ElementsAre("irecv 1 9 8 6", "wait 1 0 9"));

  MemorySource unknown(2);
  unknown.add(0, {.kind = ActionKind::receive, .peer = any_rank, .bytes = 8, .request = 0});
  unknown.finalize();
  EXPECT_THROW(write(unknown), Error);
}

TEST_F(TiWriter, collectives_of_all_ranks_are_simgrids_own) {
  MemorySource program(2);
  const Bytes counts[] = {4, 6};
  for (const Rank rank : {0, 1}) {
    const Bytes mine[] = {rank == 0 ? Bytes{1} : Bytes{3}, rank == 0 ? Bytes{2} : Bytes{4}};
    const Bytes got[] = {rank == 0 ? Bytes{1} : Bytes{2}, rank == 0 ? Bytes{3} : Bytes{4}};
    const bool root = rank == 1;
    program.add(rank, {.kind = ActionKind::barrier});
    program.add(rank, {.kind = ActionKind::broadcast, .peer = 1, .bytes = 80});
    program.add(rank, {.kind = ActionKind::reduce, .peer = 1, .bytes = 80, .element_bytes = 8});
    program.add(rank, {.kind = ActionKind::allreduce, .bytes = 80, .element_bytes = 4});
    program.add(rank, {.kind = ActionKind::gather, .peer = 1, .bytes = 5, .receive_bytes = root ? 5U : 0U});
    program.add(rank, {.kind = ActionKind::scatter, .peer = 1, .bytes = root ? 5U : 0U, .receive_bytes = 5});
    program.add(rank, {.kind = ActionKind::allgather, .bytes = 5, .receive_bytes = 5});
    program.add(rank, {.kind = ActionKind::alltoall, .bytes = 5, .receive_bytes = 5});
    program.add(rank, {.kind = ActionKind::allgatherv, .bytes = counts[rank], .receive_counts = counts});
    program.add(rank, {.kind = ActionKind::gatherv,
                       .peer = 1,
                       .bytes = counts[rank],
                       .receive_counts = root ? std::span<const Bytes>(counts) : std::span<const Bytes>()});
    program.add(rank, {.kind = ActionKind::scatterv,
                       .peer = 1,
                       .receive_bytes = counts[rank],
                       .counts = root ? std::span<const Bytes>(counts) : std::span<const Bytes>()});
    program.add(rank, {.kind = ActionKind::alltoallv, .counts = mine, .receive_counts = got});
    program.add(rank, {.kind = ActionKind::reduce_scatter, .element_bytes = 2, .counts = counts});
    program.add(rank, {.kind = ActionKind::scan, .bytes = 16, .element_bytes = 16});
  }
  program.finalize();
  const ExportReport report = write(program);
  EXPECT_THAT(lines(1), ElementsAre("barrier", "bcast 80 1 6", "reduce 10 0 1 0", "allreduce 20 0 1",
                                    "gather 5 5 1 6 6", "scatter 5 5 1 6 6", "allgather 5 5 6 6", "alltoall 5 5 6 6",
                                    "allgatherv 6 4 6 6 6", "gatherv 6 4 6 1 6 6", "scatterv 4 6 6 1 6 6",
                                    "alltoallv 7 3 4 6 2 4 6 6", "reducescatter 2 3 0 3", "scan 1 0 26"));
  EXPECT_THAT(report.lowered, ElementsAre(Pair("Scan as one whose operation does not commute", 2)));
  const auto back = open_ti(output_);
  const CheckReport checked = check(*back);
  EXPECT_EQ(checked.inconsistent + checked.incomplete, 0U);
}

TEST_F(TiWriter, says_where_a_replay_takes_an_operation_to_commute_or_not_to) {
  MemorySource program(2);
  const Bytes counts[] = {4, 6};
  for (Rank rank = 0; rank < 2; ++rank)
    for (const std::uint16_t flags : {std::uint16_t{0}, std::uint16_t{flag_noncommutative}})
      for (const ActionKind kind : {ActionKind::reduce, ActionKind::allreduce, ActionKind::scan, ActionKind::exscan,
                                    ActionKind::reduce_scatter}) {
        const bool scatters = kind == ActionKind::reduce_scatter;
        program.add(rank, {.kind = kind,
                           .flags = flags,
                           .peer = kind == ActionKind::reduce ? 0 : no_rank,
                           .bytes = scatters ? 0U : 8U,
                           .element_bytes = 2,
                           .counts = scatters ? std::span<const Bytes>(counts) : std::span<const Bytes>()});
      }
  program.finalize();
  EXPECT_THAT(write(program).lowered, ElementsAre(Pair("Allreduce as one whose operation commutes", 2),
                                                  Pair("Exscan as one whose operation does not commute", 2),
                                                  Pair("Reduce as one whose operation commutes", 2),
                                                  Pair("Reduce_scatter as one whose operation commutes", 2),
                                                  Pair("Scan as one whose operation does not commute", 2)));
  const auto back = open_ti(output_);
  for (const trace::test::OwnedAction& owned : trace::test::actions_of(*back, 1)) {
    const bool ordered = owned.action.kind == ActionKind::scan || owned.action.kind == ActionKind::exscan;
    EXPECT_EQ((owned.action.flags & flag_noncommutative) != 0, ordered) << mpi_name(owned.action);
  }
}

TEST_F(TiWriter, collectives_of_some_ranks_and_nonblocking_ones_become_messages_that_fit) {
  MemorySource program(5);
  const CommunicatorId some = program.add_communicator({4, 1, 3});
  const RequestId request[] = {0};
  for (const Rank rank : {1, 3, 4}) {
    program.add(rank, {.kind = ActionKind::allreduce, .communicator = some, .bytes = 80, .element_bytes = 8});
    program.add(rank, {.kind = ActionKind::broadcast, .communicator = some, .peer = 1, .bytes = 100'000});
  }
  for (Rank rank = 0; rank < 5; ++rank) {
    program.add(rank, {.kind = ActionKind::allgather, .bytes = 40, .receive_bytes = 40, .request = 0});
    program.compute(rank, 10);
    program.add(rank, {.kind = ActionKind::wait, .requests = request});
  }
  program.finalize();
  const ExportReport report = write(program);
  EXPECT_THAT(report.lowered, ElementsAre(Pair("Allreduce as messages", 3), Pair("Bcast as messages", 3),
                                          Pair("Iallgather as messages that all start at once", 5)));
  EXPECT_THAT(report.lost, IsEmpty());
  const auto back = open_ti(output_);
  const CheckReport checked = check(*back);
  EXPECT_EQ(checked.inconsistent + checked.incomplete, 0U)
      << (checked.findings.empty() ? "" : checked.findings.front().words);
  EXPECT_GT(checked.messages, 10U);
}

TEST_F(TiWriter, neighbourhoods_become_the_messages_between_neighbours) {
  MemorySource program(3);
  for (Rank rank = 0; rank < 3; ++rank) {
    const Rank neighbours[] = {(rank + 2) % 3, (rank + 1) % 3}; // from the left, to the right
    program.add(
        rank,
        {.kind = ActionKind::neighbor_allgather, .tag = 2, .bytes = 24, .receive_bytes = 24, .ranks = neighbours});
  }
  program.finalize();
  const ExportReport report = write(program);
  EXPECT_THAT(report.lowered, ElementsAre(Pair("Neighbor_allgather as messages that all start at once", 3)));
  EXPECT_THAT(lines(0), Contains(HasSubstr("send 1 ")));
  EXPECT_THAT(lines(0), Contains(HasSubstr("recv 2 ")));
  const CheckReport checked = check(*open_ti(output_));
  EXPECT_EQ(checked.inconsistent, 0U);
  EXPECT_EQ(checked.messages, 3U);
}

TEST_F(TiWriter, what_the_text_cannot_say_is_counted_by_name) {
  MemorySource program(2);
  const CommunicatorId window = program.add_communicator({0, 1});
  for (const Rank rank : {0, 1}) {
    program.add(rank, {.kind = ActionKind::win_create, .bytes = 8, .new_communicator = window});
    program.add(rank, {.kind = ActionKind::put, .communicator = window, .peer = 1 - rank, .bytes = 8});
    program.add(rank, {.kind = ActionKind::win_fence, .communicator = window});
    program.add(rank, {.kind = ActionKind::file_delete});
  }
  program.add(0, {.kind = ActionKind::send, .mode = SendMode::synchronous, .peer = 1, .bytes = 8});
  program.add(1, {.kind = ActionKind::probe, .peer = 0, .bytes = 8});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 8});
  program.finalize();
  const ExportReport report = write(program);
  EXPECT_THAT(report.lost, ElementsAre(Pair("File_delete", 2), Pair("Probe", 1), Pair("Put", 2)));
  EXPECT_THAT(report.lowered, ElementsAre(Pair("Ssend as one that need not wait for its receive", 1),
                                          Pair("Win_create as barrier", 2), Pair("Win_fence as barrier", 2)));
}

TEST_F(TiWriter, an_output_that_exists_stays_unless_forced) {
  MemorySource program(1);
  program.finalize();
  trace::test::write_bytes(output_, "mine");
  EXPECT_THROW(write_ti(program, output_, {}), Error);
  EXPECT_EQ(trace::test::file_bytes(output_), "mine");
  write(program);
  EXPECT_NE(trace::test::file_bytes(output_), "mine");
  const std::filesystem::path beside = output_.string() + "_files/notes";
  trace::test::write_bytes(beside, "mine");
  write(program);
  EXPECT_EQ(trace::test::file_bytes(beside), "mine") << "what a forced output does not write stays";
}

TEST_F(TiWriter, what_is_written_is_read_as_it_was) {
  MemorySource program(2);
  const RequestId request[] = {0};
  for (int round = 0; round < 3000; ++round) {
    program.compute(0, 1000 + static_cast<std::uint64_t>(round));
    program.add(0, {.kind = ActionKind::send, .peer = 1, .tag = round, .bytes = 8, .request = 0});
    program.add(0, {.kind = ActionKind::wait, .requests = request});
    program.add(1, {.kind = ActionKind::receive, .peer = 0, .tag = round, .bytes = 8});
    program.add(0, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
    program.add(1, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
  }
  program.finalize();
  write(program);
  const auto back = open_ti(output_);
  for (const Rank rank : {0, 1})
    EXPECT_TRUE(trace::test::same_actions(trace::test::actions_of(program, rank), trace::test::actions_of(*back, rank)))
        << rank;
}

} // namespace
} // namespace timeless::trace::formats
