// Collectives of neighbourhoods, which SMPI does not have.
#include "tests/smpi/flat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace timeless::replay {
namespace {

using testing::HasSubstr;
using trace::ActionKind;
using trace::Bytes;
using trace::MemorySource;
using trace::Rank;

TEST(Neighbourhood, sends_each_neighbour_its_part_as_in_the_model) {
  // A line of four: the ends have one neighbour, and MPI_PROC_NULL on the other side.
  for (const ActionKind kind : {ActionKind::neighbor_alltoall, ActionKind::neighbor_alltoallv}) {
    MemorySource program(4);
    for (Rank rank = 0; rank < 4; ++rank) {
      program.compute(rank, static_cast<std::uint64_t>(rank) * 100'000); // 0.1 ms each
      const Rank left = rank == 0 ? trace::no_rank : rank - 1;
      const Rank right = rank == 3 ? trace::no_rank : rank + 1;
      const std::array<Rank, 4> ranks{left, right, left, right};
      const std::array<Bytes, 2> sizes{1000, 50'000};
      const std::array<Bytes, 2> from{50'000, 1000};
      program.add(rank, {.kind = kind,
                         .tag = 3,
                         .bytes = 1000,
                         .receive_bytes = 1000,
                         .counts = sizes,
                         .receive_counts = from,
                         .ranks = ranks});
    }
    program.finalize();
    expect_equal_ends(program);
    EXPECT_THAT(notes(program), testing::Contains(HasSubstr("neighbourhood collectives are a message")));
  }
}

TEST(Neighbourhood, waits_for_nobody_else_and_overlaps_when_nonblocking) {
  MemorySource program(3);
  for (const Rank rank : {0, 1}) {
    program.add(rank, {.kind = ActionKind::neighbor_allgather,
                       .tag = 2,
                       .bytes = 100'000,
                       .receive_bytes = 100'000,
                       .request = request,
                       .ranks = rank == 0 ? ring_of_0 : ring_of_1});
    program.compute(rank, 50'000);
    program.add(rank, {.kind = ActionKind::wait, .requests = {&request, 1}});
  }
  program.compute(2, 1'000'000'000);
  program.finalize();
  const std::vector<double> ends = smpi_ends(program);
  EXPECT_NEAR(ends[0], message(100'000), 1e-12);
  EXPECT_NEAR(ends[1], message(100'000), 1e-12);
}

TEST(Neighbourhood, messages_are_not_taken_by_the_programs_own_receives) {
  MemorySource program(2);
  program.add(0,
              {.kind = ActionKind::neighbor_allgather, .tag = 2, .bytes = 8, .receive_bytes = 8, .ranks = ring_of_0});
  program.add(0, {.kind = ActionKind::send, .peer = 1, .tag = 1, .bytes = 100'000});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .tag = trace::any_tag, .bytes = 100'000, .request = request});
  program.add(1,
              {.kind = ActionKind::neighbor_allgather, .tag = 2, .bytes = 8, .receive_bytes = 8, .ranks = ring_of_1});
  program.add(1, {.kind = ActionKind::wait, .requests = {&request, 1}});
  program.finalize();
  EXPECT_GT(smpi_ends(program)[1], message(100'000));
}

} // namespace
} // namespace timeless::replay
