#include "base/error.h"
#include "tests/formats/dumpi_writer.h"
#include "tests/formats/told.h"
#include "trace/check/check.h"
#include "trace/formats/dumpi/dumpi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace timeless::trace::formats {
namespace {

using dumpi::Call;
using dumpi::Status;
using test::DumpiWriter;
using test::self;
using test::told;
using test::type_byte;
using test::world;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr int type_int = 9;
constexpr int type_double = 14;

class Dumpi : public testing::Test {
protected:
  std::unique_ptr<ImportedRun> read(const std::vector<DumpiWriter>& ranks) const {
    return open_dumpi(write_dumpi(directory_.path(), ranks));
  }

  static std::string problems(const Source& source) {
    const CheckReport report = check(source);
    std::string words;
    for (const Finding& finding : report.findings)
      if (finding.severity != Severity::note) words += finding.words + "; ";
    return words;
  }

  /// Returns what a rank does, without its computation.
  static std::vector<std::string> calls(const Source& source, Rank rank) {
    std::vector<std::string> lines = told(source, rank);
    std::erase_if(lines, [](const std::string& line) { return line.starts_with("compute"); });
    return lines;
  }

  std::string complaint(std::string bytes) const {
    trace::test::write_bytes(directory_ / "bad.meta", "numprocs=1\n");
    trace::test::write_bytes(directory_ / "bad-0000.bin", bytes);
    try {
      const auto run = open_dumpi(directory_ / "bad");
      told(*run, 0);
    } catch (const Error& error) {
      EXPECT_EQ(error.failure(), Failure::invalid_input);
      return error.what();
    }
    return "none";
  }

  timeless::test::TemporaryDirectory directory_;
};

TEST_F(Dumpi, knows_the_layout_of_every_call_there_is) {
  std::size_t written = 0;
  for (std::uint16_t call = 0; call < 60000; ++call)
    if (dumpi::layout(call).written) ++written;
  EXPECT_EQ(written, 283U); // all 290 but Pcontrol and the eight of old MPI-IO, and the two of the program's functions
  EXPECT_EQ(dumpi::layout(290).name, "");
  EXPECT_EQ(dumpi::layout(60000).name, "");
}

TEST_F(Dumpi, time_between_calls_is_computation_in_nanoseconds) {
  DumpiWriter zero;
  zero.init().call(Call::Send, {3, type_int, 1, 7, world}).finalize();
  DumpiWriter one;
  one.init().call(Call::Recv, {3, type_int, 0, 7, world}, {{.bytes = 12, .source = 0, .tag = 7}}).finalize();
  const auto run = read({zero, one});
  EXPECT_EQ(run->run().counter.unit, VolumeUnit::nanoseconds);
  EXPECT_THAT(told(*run, 0), ElementsAre("compute 600", "Send 1 tag 7 12 B", "compute 600", "Finalize"));
  EXPECT_THAT(told(*run, 1), ElementsAre("compute 600", "Recv 0 tag 7 12 B", "compute 600", "Finalize"));
  EXPECT_EQ(problems(*run), "");
  EXPECT_TRUE(run->run().complete());
  EXPECT_EQ(run->run().ranks[0].actions, 4U);
  EXPECT_EQ(run->run().ranks[0].recorded_time, 2000U);
  EXPECT_TRUE(has_times(*run));
}

TEST_F(Dumpi, seconds_begin_again_after_18_hours) {
  DumpiWriter zero;
  zero.at(65'535'000'000'000).init();
  zero.at(65'537'000'000'000).call(Call::Barrier, {world});
  zero.finalize();
  EXPECT_THAT(told(*read({zero}), 0), ElementsAre("compute 1999999600", "Barrier", "compute 600", "Finalize"));
}

TEST_F(Dumpi, local_calls_and_user_functions_are_computation) {
  DumpiWriter zero;
  zero.call(Call::Initialized, {0}).init().call(Call::Comm_rank, {world, 0}).call(Call::Function_enter, {4096});
  zero.call(Call::Barrier, {world}).finalize();
  EXPECT_THAT(told(*read({zero}), 0), ElementsAre("compute 2600", "Barrier", "compute 600", "Finalize"));
}

TEST_F(Dumpi, requests_keep_their_pairs) {
  DumpiWriter zero;
  zero.init();
  zero.call(Call::Irecv, {10, type_byte, 1, 4, world, 5});
  zero.call(Call::Isend, {10, type_byte, 1, 4, world, 6});
  zero.call(Call::Waitall, {2, {5, 6}}, {{.bytes = 10, .source = 1, .tag = 4}, {}});
  zero.finalize();
  DumpiWriter one;
  one.init();
  one.call(Call::Irecv, {99, type_byte, 0, 4, world, 5});
  one.call(Call::Test, {5, 0});
  one.call(Call::Test, {5, 1}, {{.bytes = 10, .source = 0, .tag = 4}});
  one.call(Call::Send, {10, type_byte, 0, 4, world});
  one.finalize();
  const auto run = read({zero, one});
  EXPECT_THAT(calls(*run, 0), ElementsAre("Irecv 1 tag 4 10 B", "Isend 1 tag 4 10 B", "Waitall #0 #1", "Finalize"));
  EXPECT_THAT(calls(*run, 1), ElementsAre("Irecv 0 tag 4 10 B", "Test #0", "Send 0 tag 4 10 B", "Finalize"));
  EXPECT_EQ(problems(*run), "");
}

TEST_F(Dumpi, a_request_number_shared_by_several_sends_completes_each_once) {
  DumpiWriter zero;
  zero.init();
  for (const int tag : {1, 2, 3})
    zero.call(Call::Isend, {1, type_byte, 1, tag, world, 2});
  zero.call(Call::Waitall, {4, {2, 2, 2, 77}}).finalize();
  DumpiWriter one;
  one.init();
  for (const int tag : {1, 2, 3})
    one.call(Call::Recv, {1, type_byte, 0, tag, world}, {{.bytes = 1, .source = 0, .tag = tag}});
  one.finalize();
  const auto run = read({zero, one});
  EXPECT_EQ(problems(*run), "");
  EXPECT_THAT(calls(*run, 0), ElementsAre("Isend 1 tag 1 1 B", "Isend 1 tag 2 1 B", "Isend 1 tag 3 1 B",
                                          "Waitall #0 #1 #2", "Finalize"));
  EXPECT_THAT(run->run().ranks[0].notes, ElementsAre(HasSubstr("2 requests were begun under a number still in use")));
}

TEST_F(Dumpi, of_sends_that_share_a_number_those_nobody_completes_are_freed) {
  DumpiWriter zero;
  zero.init();
  for (const int tag : {1, 2, 3})
    zero.call(Call::Isend, {1, type_byte, 1, tag, world, 2});
  zero.call(Call::Wait, {2});
  // The number is used again for a receive: it no longer stands for the sends.
  zero.call(Call::Irecv, {1, type_byte, 1, 4, world, 2}).call(Call::Wait, {2}, {{.bytes = 1, .source = 1, .tag = 4}});
  zero.finalize();
  DumpiWriter one;
  one.init();
  for (const int tag : {1, 2, 3})
    one.call(Call::Recv, {1, type_byte, 0, tag, world}, {{.bytes = 1, .source = 0, .tag = tag}});
  one.call(Call::Send, {1, type_byte, 0, 4, world}).finalize();
  const auto run = read({zero, one});
  EXPECT_EQ(problems(*run), "");
  EXPECT_THAT(calls(*run, 0), ElementsAre("Isend 1 tag 1 1 B", "Isend 1 tag 2 1 B", "Isend 1 tag 3 1 B", "Wait #0",
                                          "Request_free", "Request_free", "Irecv 1 tag 4 1 B", "Wait #2", "Finalize"));
}

TEST_F(Dumpi, receives_from_any_rank_are_what_their_statuses_say) {
  DumpiWriter zero;
  zero.init();
  zero.call(Call::Recv, {100, type_byte, -1, -1, world}, {{.bytes = 8, .source = 1, .tag = 6}});
  zero.call(Call::Irecv, {100, type_byte, -1, 7, world, 9});
  zero.call(Call::Wait, {9}, {{.bytes = 4, .source = 1, .tag = 7}});
  zero.call(Call::Sendrecv, {1, type_int, 1, 1, 9, type_int, -1, 2, world}, {{.bytes = 4, .source = 1, .tag = 2}});
  zero.call(Call::Probe, {-1, -1, world}, {{.bytes = 3, .source = 1, .tag = 8}});
  zero.call(Call::Recv, {3, type_byte, 1, 8, world}, {{.bytes = 3, .source = 1, .tag = 8}});
  zero.finalize();
  DumpiWriter one;
  one.init();
  one.call(Call::Send, {8, type_byte, 0, 6, world});
  one.call(Call::Send, {4, type_byte, 0, 7, world});
  one.call(Call::Sendrecv, {1, type_int, 0, 2, 1, type_int, 0, 1, world}, {{.bytes = 4, .source = 0, .tag = 1}});
  one.call(Call::Send, {3, type_byte, 0, 8, world});
  one.finalize();
  const auto run = read({zero, one});
  EXPECT_THAT(calls(*run, 0),
              ElementsAre("Recv 1 tag 6 8 B", "Irecv 1 tag 7 4 B", "Wait #0", "Sendrecv 1 tag 1 4 B from 1 in 4 B",
                          "Probe 1 tag 8 3 B", "Recv 1 tag 8 3 B", "Finalize"));
  EXPECT_EQ(problems(*run), "");
}

TEST_F(Dumpi, a_wildcard_that_resolves_in_a_later_block_says_so_before_its_completion) {
  DumpiWriter zero;
  zero.init().call(Call::Irecv, {100, type_byte, -1, 7, world, 9});
  for (int i = 0; i < 5000; ++i)
    zero.call(Call::Barrier, {self});
  zero.call(Call::Wait, {9}, {{.bytes = 4, .source = 1, .tag = 7}}).finalize();
  DumpiWriter one;
  one.init().call(Call::Send, {4, type_byte, 0, 7, world}).finalize();
  const auto run = read({zero, one});
  const auto lines = calls(*run, 0);
  EXPECT_EQ(lines[0], "Irecv -2 tag 7 100 B");
  EXPECT_EQ(lines[5001], "resolved 1 4 B");
  EXPECT_EQ(problems(*run), "");
}

TEST_F(Dumpi, no_process_is_whatever_number_the_library_gave_it) {
  for (const int nobody : {-1, -2}) {
    DumpiWriter zero;
    zero.init();
    zero.call(Call::Send, {8, type_byte, nobody, 6, world});
    zero.call(Call::Recv, {8, type_byte, nobody, 6, world}, {{.bytes = 0, .source = nobody, .tag = -1}});
    zero.call(Call::Irecv, {8, type_byte, nobody, 6, world, 4});
    zero.call(Call::Isend, {8, type_byte, nobody, 6, world, 5});
    zero.call(Call::Waitall, {2, {4, 5}});
    zero.call(Call::Sendrecv, {8, type_byte, nobody, 6, 8, type_byte, nobody, 6, world});
    zero.finalize();
    const auto run = read({zero});
    EXPECT_EQ(problems(*run), "") << nobody;
    EXPECT_THAT(run->run().ranks[0].notes, IsEmpty()) << nobody;
    EXPECT_EQ(check(*run).messages, 0U);
  }
}

TEST_F(Dumpi, a_receive_without_a_status_names_its_buffer) {
  DumpiWriter zero;
  zero.init().call(Call::Recv, {100, type_byte, 1, 6, world}).finalize();
  DumpiWriter one;
  one.init().call(Call::Send, {8, type_byte, 0, 6, world}).finalize();
  const auto run = read({zero, one});
  EXPECT_THAT(calls(*run, 0), ElementsAre("Irecv 1 tag 6 100 B", "Wait #0", "Finalize"));
  EXPECT_EQ(problems(*run), "");
}

TEST_F(Dumpi, an_exchange_without_a_status_may_have_a_larger_buffer) {
  std::vector<DumpiWriter> ranks(2);
  for (int rank = 0; rank < 2; ++rank) {
    ranks[static_cast<std::size_t>(rank)].init();
    ranks[static_cast<std::size_t>(rank)].call(Call::Sendrecv,
                                               {1 + rank, type_int, 1 - rank, 5, 100, type_int, 1 - rank, 5, world});
    ranks[static_cast<std::size_t>(rank)].finalize();
  }
  const auto run = read(ranks);
  EXPECT_THAT(calls(*run, 1), ElementsAre("Irecv 0 tag 5 400 B", "Isend 0 tag 5 8 B", "Waitall #0 #1", "Finalize"));
  EXPECT_EQ(problems(*run), "");
}

TEST_F(Dumpi, persistent_requests_begin_when_started) {
  DumpiWriter zero;
  zero.init().call(Call::Send_init, {2, type_double, 1, 3, world, 8});
  for (int i = 0; i < 2; ++i)
    zero.call(Call::Start, {8}).call(Call::Wait, {8});
  zero.call(Call::Request_free, {8}).finalize();
  DumpiWriter one;
  one.init().call(Call::Recv_init, {2, type_double, 0, 3, world, 8});
  for (int i = 0; i < 2; ++i)
    one.call(Call::Startall, {1, {8}}).call(Call::Waitany, {1, {8}, 0}, {{.bytes = 16, .source = 0, .tag = 3}});
  one.finalize();
  const auto run = read({zero, one});
  EXPECT_THAT(calls(*run, 0),
              ElementsAre("Isend 1 tag 3 16 B", "Wait #0", "Isend 1 tag 3 16 B", "Wait #0", "Finalize"));
  EXPECT_EQ(problems(*run), "");
}

TEST_F(Dumpi, collectives_have_their_roots_parts_only_at_the_root) {
  std::vector<DumpiWriter> ranks(2);
  for (int rank = 0; rank < 2; ++rank) {
    DumpiWriter& writer = ranks[static_cast<std::size_t>(rank)];
    writer.init();
    writer.call(Call::Bcast, {5, type_int, 1, world});
    if (rank == 1) {
      writer.call(Call::Gather, {1, 2, type_int, 1, world, 2, type_int});
      writer.call(Call::Gatherv, {1, 2, 3, type_byte, 1, world, {1, 3}, {0, 1}, type_byte});
      writer.call(Call::Scatter, {1, 2, type_int, 1, world, 2, type_int});
      writer.call(Call::Scatterv, {1, 2, type_byte, 3, type_byte, 1, world, {1, 3}, {0, 1}});
    } else {
      writer.call(Call::Gather, {0, 2, type_int, 1, world});
      writer.call(Call::Gatherv, {0, 2, 1, type_byte, 1, world, type_byte});
      writer.call(Call::Scatter, {0, 2, type_int, 1, world});
      writer.call(Call::Scatterv, {0, 2, type_byte, 1, type_byte, 1, world});
    }
    writer.call(Call::Allreduce, {3, type_double, 3, world});
    writer.call(Call::Alltoallv,
                {2, {1, 2}, {0, 0}, type_int, {rank == 0 ? 1 : 2, rank == 0 ? 1 : 2}, {0, 0}, type_int, world});
    writer.call(Call::Alltoallw, {2,
                                  {1, 2},
                                  {0, 0},
                                  {type_int, type_double},
                                  {1, 1},
                                  {0, 0},
                                  {rank == 0 ? type_int : type_double, type_int},
                                  world});
    writer.call(Call::Reduce_scatter, {2, {4, 5}, type_int, 3, world});
    writer.finalize();
  }
  ranks[1].call(Call::Wtime, {});
  const auto run = read(ranks);
  EXPECT_THAT(calls(*run, 1),
              ElementsAre("Bcast 1 20 B", "Gather 1 8 B in 8 B", "Gatherv 1 3 B in 1 in 3", "Scatter 1 8 B in 8 B",
                          "Scatterv 1 in 3 B out 1 out 3", "Allreduce 24 B", "Alltoallv out 4 out 8 in 8 in 8",
                          "Alltoallw out 4 out 16 in 8 in 4", "Reduce_scatter out 16 out 20", "Finalize"));
}

TEST_F(Dumpi, communicators_are_found_out_across_ranks_whatever_their_numbers) {
  std::vector<DumpiWriter> ranks(4);
  for (int rank = 0; rank < 4; ++rank) {
    DumpiWriter& writer = ranks[static_cast<std::size_t>(rank)];
    const int number = 4 + rank; // of its own at each
    writer.init();
    writer.call(Call::Comm_split, {world, rank % 2, -rank, number});
    writer.call(Call::Barrier, {number});
    writer.call(Call::Cart_create, {world, 2, {2, 2}, {0, 1}, 0, number + 10});
    writer.call(Call::Cart_sub, {2, number + 10, {0, 1}, number + 20});
    writer.call(Call::Bcast, {1, type_int, 0, number + 20});
    writer.call(Call::Comm_group, {world, 5}).call(Call::Group_incl, {5, 3, {3, 1, 0}, 6});
    writer.call(Call::Comm_create, {world, 6, rank == 2 ? 1 : number + 30});
    if (rank != 2) writer.call(Call::Barrier, {number + 30});
    writer.call(Call::Comm_free, {number});
    writer.call(Call::Comm_dup, {world, number}); // the number again
    writer.call(Call::Barrier, {number});
    writer.finalize();
  }
  const auto run = read(ranks);
  EXPECT_EQ(problems(*run), "");
  const auto& communicators = run->run().communicators;
  ASSERT_EQ(communicators.size(), 8U);
  EXPECT_THAT(communicators[1].members, ElementsAre(2, 0)); // the key turns them
  EXPECT_THAT(communicators[2].members, ElementsAre(3, 1));
  EXPECT_THAT(communicators[4].members, ElementsAre(3, 1, 0));
  const GridDimension column{.extent = 2, .periodic = false};
  const GridDimension row{.extent = 2, .periodic = true};
  EXPECT_THAT(communicators[3].grid, ElementsAre(column, row));
  EXPECT_THAT(communicators[4].grid, IsEmpty());
  EXPECT_THAT(communicators[6].members, ElementsAre(0, 1)); // rows of the grid
  EXPECT_THAT(communicators[6].grid, ElementsAre(row));
  EXPECT_THAT(communicators[7].members, ElementsAre(2, 3));
  EXPECT_THAT(calls(*run, 2), testing::Contains("Comm_create"));
  EXPECT_THAT(calls(*run, 0), testing::Contains("Barrier on 5"));
}

TEST_F(Dumpi, intercommunicators_join_the_sides_their_leaders_name) {
  std::vector<DumpiWriter> ranks(4);
  for (int rank = 0; rank < 4; ++rank) {
    DumpiWriter& writer = ranks[static_cast<std::size_t>(rank)];
    writer.init();
    writer.call(Call::Comm_split, {world, rank / 2, 0, 4});
    writer.call(Call::Intercomm_create, {4, 0, world, rank < 2 ? 2 : 0, 11, 5});
    if (rank < 2)
      writer.call(Call::Send, {1, type_byte, rank, 3, 5});
    else
      writer.call(Call::Recv, {1, type_byte, rank - 2, 3, 5}, {{.bytes = 1, .source = rank - 2, .tag = 3}});
    writer.call(Call::Intercomm_merge, {5, rank < 2 ? 1 : 0, 6});
    writer.call(Call::Barrier, {6});
    writer.finalize();
  }
  const auto run = read(ranks);
  EXPECT_EQ(problems(*run), "");
  const auto& communicators = run->run().communicators;
  ASSERT_EQ(communicators.size(), 5U);
  EXPECT_THAT(communicators[3].members, ElementsAre(0, 1));
  EXPECT_THAT(communicators[3].remote_members, ElementsAre(2, 3));
  EXPECT_THAT(communicators[4].members, ElementsAre(2, 3, 0, 1)); // the high side comes last
}

TEST_F(Dumpi, windows_and_files_have_communicators_of_their_own) {
  std::vector<DumpiWriter> ranks(2);
  for (int rank = 0; rank < 2; ++rank) {
    DumpiWriter& writer = ranks[static_cast<std::size_t>(rank)];
    writer.init();
    writer.call(Call::Win_create, {64, 1, 0, world, 3});
    writer.call(Call::Win_fence, {8, 3});
    writer.call(Call::Put, {2, type_int, 1 - rank, 0, 2, type_int, 3});
    writer.call(Call::Get, {3, type_int, 1 - rank, 0, 3, type_int, 3});
    writer.call(Call::Win_fence, {16, 3}).call(Call::Win_free, {3});
    writer.call(Call::File_open, {world, {'f'}, 1, 0, 2});
    writer.call(Call::File_write_at_all, {2, 0, 10, type_int}, {{.bytes = 40}});
    writer.call(Call::File_iread, {2, 5, type_byte, 9}).call(Call::Wait, {9});
    writer.call(Call::File_close, {2});
    writer.finalize();
  }
  const auto run = read(ranks);
  EXPECT_EQ(problems(*run), "");
  EXPECT_THAT(calls(*run, 0),
              ElementsAre("Win_create 64 B makes 1", "Win_fence on 1", "Put on 1 1 8 B", "Get on 1 1 in 12 B",
                          "Win_fence on 1", "Win_free on 1", "File_open makes 2", "File_write_at_all on 2 40 B",
                          "File_iread on 2 in 5 B", "Wait #0", "File_close on 2", "Finalize"));
}

TEST_F(Dumpi, user_datatypes_have_the_sizes_they_were_made_of_or_those_the_file_lists) {
  DumpiWriter listed;
  std::vector<std::int32_t> sizes(30, 0);
  sizes[28] = 24;
  sizes[type_double] = 8;
  listed.type_sizes(sizes);
  listed.init().call(Call::Bcast, {2, 28, 0, world}).call(Call::Bcast, {2, type_double, 0, world});
  listed.call(Call::Bcast, {1, 29, 0, world}).finalize();
  const auto run = read({listed});
  EXPECT_THAT(calls(*run, 0), ElementsAre("Bcast 0 48 B", "Bcast 0 16 B", "Bcast 0", "Finalize"));
  EXPECT_THAT(run->run().ranks[0].notes, ElementsAre(HasSubstr("1 sizes of datatypes are not known")));

  // Datatypes that were freed leave their number to others: the file lists the size of one of them.
  DumpiWriter again;
  sizes[type_int] = 4;
  again.type_sizes(sizes);
  again.init().call(Call::Type_contiguous, {3, type_int, 28}).call(Call::Bcast, {1, 28, 0, world});
  again.call(Call::Type_contiguous, {2, type_double, 28}).call(Call::Bcast, {1, 28, 0, world});
  again.call(Call::Type_contiguous, {2, 29, 28}).call(Call::Bcast, {1, 28, 0, world}).finalize();
  EXPECT_THAT(calls(*read({again}), 0), ElementsAre("Bcast 0 12 B", "Bcast 0 16 B", "Bcast 0 24 B", "Finalize"));

  DumpiWriter old({0, 6, 3});
  old.init().call(Call::Type_contiguous, {3, type_int, 28}).call(Call::Type_vector, {2, 2, 9, 28, 30});
  old.call(Call::Type_create_struct, {2, {1, 2}, {0, 8}, {type_double, type_int}, 31});
  old.call(Call::Bcast, {1, 30, 0, world}).call(Call::Bcast, {1, 31, 0, world}).finalize();
  EXPECT_THAT(calls(*read({old}), 0), ElementsAre("Bcast 0 48 B", "Bcast 0 16 B", "Finalize"));
}

TEST_F(Dumpi, versions_differ_in_what_they_write) {
  for (const dumpi::Version version :
       {dumpi::Version{0, 6, 1}, {0, 6, 2}, {0, 6, 7}, {0, 6, 8}, {1, 0, 0}, {8, 1, 0}}) {
    DumpiWriter zero(version);
    zero.init();
    if (version >= dumpi::Version{0, 6, 8}) zero.call(Call::Cart_get, {2, world, 2, {1, 1}, {0, 0}, {0, 0}});
    zero.call(Call::Recv, {8, type_byte, 0, 3, self}, {{.bytes = 8, .source = 0, .tag = 3}});
    zero.finalize();
    trace::test::write_bytes(directory_ / "v.meta", "numprocs=1\n");
    for (const unsigned entries : {5U, 6U, 7U, 8U}) {
      trace::test::write_bytes(directory_ / "v-0000.bin", zero.bytes(entries));
      const auto run = open_dumpi(directory_ / "v");
      EXPECT_THAT(calls(*run, 0), ElementsAre("Recv on 1 0 tag 3 8 B", "Finalize")) << entries;
    }
  }
}

TEST_F(Dumpi, calls_that_were_ignored_or_mean_nothing_here_are_named) {
  DumpiWriter zero;
  zero.init().call(Call::Comm_join, {4, 9}).call(Call::Barrier, {9}).finalize();
  zero.ignore(Call::Isend, 5).ignore(Call::Wtime, 100);
  const auto run = read({zero});
  EXPECT_THAT(run->run().ranks[0].unrecorded_calls,
              ElementsAre(Pair("Barrier", 1), Pair("Comm_join", 1), Pair("Isend", 5)));
}

TEST_F(Dumpi, a_file_without_its_end_is_read_as_far_as_it_goes) {
  DumpiWriter zero;
  zero.init().call(Call::Barrier, {world}).call(Call::Barrier, {world});
  // The magic, the times' origin, 21 bytes of Init, 19 of a Barrier, and some of the next.
  trace::test::write_bytes(directory_ / "cut.meta", "numprocs=1\n");
  trace::test::write_bytes(directory_ / "cut-0000.bin", zero.bytes().substr(0, 16 + 21 + 19 + 10));
  const auto run = open_dumpi(directory_ / "cut.meta");
  EXPECT_THAT(calls(*run, 0), ElementsAre("Barrier"));
  EXPECT_FALSE(run->run().complete());
  EXPECT_THAT(run->run().ranks[0].ending_reason, HasSubstr("stops before its end"));
}

TEST_F(Dumpi, missing_ranks_are_missing) {
  DumpiWriter zero;
  zero.init().finalize();
  const auto prefix = test::write_dumpi(directory_.path(), {zero, zero, zero});
  std::filesystem::remove(prefix.string() + "-0001.bin");
  EXPECT_THAT(open_dumpi(prefix)->run().missing_ranks(), ElementsAre(1));
}

TEST_F(Dumpi, hostile_files_are_refused_by_offset) {
  DumpiWriter zero;
  zero.init().call(Call::Waitall, {2, {5, 6}}).finalize();
  const std::string good = zero.bytes();
  EXPECT_EQ(complaint(good), "none");
  EXPECT_THAT(complaint(""), HasSubstr("no DUMPI file"));
  EXPECT_THAT(complaint("DUMPI"), HasSubstr("no DUMPI file"));
  std::string index = good;
  index[good.size() - 32] = '\x7f'; // where the header would be
  EXPECT_THAT(complaint(index), HasSubstr("behind the file's end"));
  std::string footer = good;
  footer.replace(footer.size() - 16, 8, std::string("\0\0\0\0\0\0\0\x08", 8));
  EXPECT_THAT(complaint(footer), HasSubstr("no footer"));
  std::string call = good;
  call[16] = '\x01'; // call 256 + 124 is none
  EXPECT_THAT(complaint(call), HasSubstr("offset 18"));
  // Every byte of the records in turn: an error, or something else, but nothing worse.
  for (std::size_t i = 8; i < 120; ++i)
    for (const char bits : {'\x01', '\x80', '\xff'}) {
      std::string changed = good;
      changed[i] = static_cast<char>(changed[i] ^ bits);
      complaint(changed);
    }
  EXPECT_THROW(open_dumpi(directory_ / "none"), Error);
  std::filesystem::create_directory(directory_ / "empty");
  EXPECT_THROW(open_dumpi(directory_ / "empty"), Error);
}

TEST_F(Dumpi, deep_groups_end_in_no_communicator) {
  DumpiWriter zero;
  zero.init().call(Call::Comm_group, {world, 5});
  for (int i = 0; i < 5000; ++i)
    zero.call(Call::Group_union, {5, 5, 5});
  zero.call(Call::Comm_create, {world, 5, 4}).call(Call::Barrier, {4}).finalize();
  const auto run = read({zero});
  EXPECT_THAT(run->run().ranks[0].notes, testing::Contains(HasSubstr("group that is not known")));
  EXPECT_EQ(run->run().communicators.size(), 1U);
}

TEST_F(Dumpi, any_of_its_files_names_a_trace_and_so_does_what_a_shell_completes_of_it) {
  std::vector<DumpiWriter> ranks(2);
  for (DumpiWriter& rank : ranks)
    rank.init().finalize();
  const std::string prefix = write_dumpi(directory_.path(), ranks).string();
  for (const char* rest : {"", "-0000.bin", "-0001.bin", ".meta", "-", "-000", "."})
    EXPECT_EQ(open_dumpi(prefix + rest)->run().size, 2) << rest;
  EXPECT_EQ(open_dumpi(directory_.path())->run().size, 2);
  std::filesystem::remove(prefix + ".meta");
  EXPECT_EQ(open_dumpi(prefix + "-0001.bin")->run().size, 2) << "without the .meta";
  EXPECT_EQ(open_dumpi(directory_.path())->run().size, 2) << "without the .meta";
  for (const char* beside : {"._other.meta", "._other-0000.bin"})
    trace::test::write_bytes(directory_ / beside, std::string("\0\5\26\7", 4)); // as macOS puts into archives
  EXPECT_EQ(open_dumpi(directory_.path())->run().size, 2);
  EXPECT_THROW(open_dumpi(prefix + "x"), Error);
  EXPECT_THROW(open_dumpi(prefix + "-1.bin"), Error);
  trace::test::write_bytes(directory_ / "other-0000.bin", "");
  try {
    open_dumpi(directory_.path());
    FAIL() << "which of the two?";
  } catch (const Error& error) {
    EXPECT_THAT(error.description(), HasSubstr("2 DUMPI traces"));
  }
}

} // namespace
} // namespace timeless::trace::formats
