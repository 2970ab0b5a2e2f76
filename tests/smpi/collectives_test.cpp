// Collectives for which SMPI's own will not do.
#include "tests/smpi/flat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace timeless::replay {
namespace {

using trace::Action;
using trace::ActionKind;
using trace::Bytes;
using trace::MemorySource;
using trace::Rank;

// SMPI's own lets everyone go at once.
TEST(NonblockingBarrier, is_done_when_the_last_has_come) {
  MemorySource program(4);
  for (Rank rank = 0; rank < 4; ++rank) {
    program.compute(rank, static_cast<std::uint64_t>(rank) * 1'000'000);
    program.add(rank, {.kind = ActionKind::barrier, .request = request});
    program.add(rank, {.kind = ActionKind::wait, .requests = {&request, 1}});
  }
  program.finalize();
  const std::vector<double> ends = smpi_ends(program);
  for (const std::size_t rank : {0U, 1U, 2U})
    EXPECT_NEAR(ends[rank], 3e-3 + message(0), 1e-9) << "rank " << rank;
}

// SimGrid's default exchanges these in pairs, and then finds that there is no power of two of ranks.
TEST(Alltoall, of_any_size_is_among_any_number_of_ranks) {
  for (const Rank ranks : {3, 4, 5, 6, 7})
    for (const Bytes part : {500'000, 600'000, 1'100'000}) {
      MemorySource program(ranks);
      for (Rank rank = 0; rank < ranks; ++rank)
        program.add(rank, {.kind = ActionKind::alltoall, .bytes = part, .receive_bytes = part});
      program.finalize();
      EXPECT_GE(smpi_ends(program)[0], static_cast<double>(part) * byte_time) << ranks << " ranks, " << part;
    }
}

// What MPI's ints cannot count: SMPI, given bytes, takes negative numbers of them.

TEST(BeyondInts, parts_of_vector_collectives_keep_their_size) {
  const Bytes large = Bytes{3} << 30U;
  const std::array<Bytes, 3> sizes{5, large, 1000};
  const double all = static_cast<double>(large) * byte_time;
  const auto last = [&](const std::function<Action(Rank)>& action) {
    MemorySource program(3);
    for (Rank rank = 0; rank < 3; ++rank)
      program.add(rank, action(rank));
    program.finalize();
    return std::ranges::max(smpi_ends(program));
  };
  const auto own = [&](Rank rank) { return sizes[static_cast<std::size_t>(rank)]; };
  EXPECT_NEAR(last([&](Rank rank) {
                return Action{.kind = ActionKind::gatherv, .peer = 0, .bytes = own(rank), .receive_counts = sizes};
              }),
              all, 0.001 * all);
  EXPECT_NEAR(last([&](Rank rank) {
                return Action{.kind = ActionKind::scatterv, .peer = 0, .receive_bytes = own(rank), .counts = sizes};
              }),
              all, 0.001 * all);
  EXPECT_GE(last([&](Rank rank) {
              return Action{.kind = ActionKind::allgatherv, .bytes = own(rank), .receive_counts = sizes};
            }),
            all);
  // Rank r sends rank s what stands in row r.
  const std::array<std::array<Bytes, 3>, 3> rows{{{0, large, 7}, {7, 7, 7}, {7, 0, 7}}};
  const std::array<std::array<Bytes, 3>, 3> columns{{{0, 7, 7}, {large, 7, 0}, {7, 7, 7}}};
  EXPECT_NEAR(last([&](Rank rank) {
                return Action{.kind = ActionKind::alltoallv,
                              .counts = rows[static_cast<std::size_t>(rank)],
                              .receive_counts = columns[static_cast<std::size_t>(rank)]};
              }),
              all, 0.001 * all);
}

TEST(BeyondInts, collectives_whose_parts_add_up_to_more_keep_their_size) {
  constexpr Bytes each = 400'000'000; // 3.2 GB over 8 ranks
  for (const ActionKind kind : {ActionKind::allgather, ActionKind::alltoall, ActionKind::gather, ActionKind::scatter}) {
    MemorySource program(8);
    for (Rank rank = 0; rank < 8; ++rank)
      program.add(rank, {.kind = kind, .peer = 0, .bytes = each, .receive_bytes = each});
    program.finalize();
    const double last = std::ranges::max(smpi_ends(program));
    EXPECT_GE(last, static_cast<double>(each) * byte_time) << trace::name(kind);
    EXPECT_LE(last, 8 * static_cast<double>(each) * byte_time + 1e-3) << trace::name(kind);
  }
}

// Reductions of bytes: SMPI refuses MPI_SUM on them.
TEST(Reduction, of_bytes_or_of_elements_no_type_has_is_replayed) {
  for (const std::uint32_t element : {1U, 3U, 12U}) {
    MemorySource program(2);
    for (const Rank rank : {0, 1})
      program.add(rank, {.kind = ActionKind::allreduce, .bytes = 12, .element_bytes = element});
    program.finalize();
    EXPECT_NEAR(smpi_ends(program)[0], message(12), 1e-12) << element;
  }
}

} // namespace
} // namespace timeless::replay
