// How many bytes info says that calls send.
#include "tools/answers/regions.h"
#include "tools/answers/summary.h"
#include "trace/memory_source.h"

#include <gtest/gtest.h>

#include <vector>

namespace timeless::tools {
namespace {

using trace::Action;
using trace::ActionKind;
using trace::Bytes;
using trace::MemorySource;
using trace::Rank;

constexpr Rank ranks = 8;

/// A run in which every rank does what `action` says of it.
template <typename Describe>
MemorySource by_all(Describe&& action) {
  MemorySource run(ranks);
  for (Rank rank = 0; rank < ranks; ++rank)
    run.add(rank, action(rank));
  run.finalize();
  return run;
}

template <typename Describe>
std::uint64_t sent(const char* call, Describe&& action) {
  return summarise(by_all(action)).calls.at(call).bytes;
}

TEST(BytesSent, are_the_same_whichever_call_makes_the_transfer) {
  const std::vector<Bytes> thousands(ranks, 1000);
  const auto all_the_same = [](const Action& action) { return [action](Rank) { return action; }; };
  EXPECT_EQ(sent("Alltoall", all_the_same({.kind = ActionKind::alltoall, .bytes = 1000, .receive_bytes = 1000})),
            64000U);
  EXPECT_EQ(sent("Alltoallv",
                 all_the_same({.kind = ActionKind::alltoallv, .counts = thousands, .receive_counts = thousands})),
            64000U);
  EXPECT_EQ(sent("Reduce_scatter_block", all_the_same({.kind = ActionKind::reduce_scatter_block, .bytes = 1000})),
            64000U);
  EXPECT_EQ(sent("Reduce_scatter", all_the_same({.kind = ActionKind::reduce_scatter, .counts = thousands})), 64000U);
  EXPECT_EQ(sent("Scatter",
                 [](Rank rank) {
                   return Action{.kind = ActionKind::scatter,
                                 .peer = 2,
                                 .bytes = rank == 2 ? Bytes{1000} : Bytes{0},
                                 .receive_bytes = 1000};
                 }),
            8000U);
  EXPECT_EQ(sent("Scatterv",
                 [&](Rank rank) {
                   Action action{.kind = ActionKind::scatterv, .peer = 2, .receive_bytes = 1000};
                   if (rank == 2) action.counts = thousands;
                   return action;
                 }),
            8000U);
}

TEST(BytesSent, of_neighbourhoods_go_to_each_neighbour) {
  const std::vector<Rank> neighbours{7, 1, 7, 1};
  const std::vector<Bytes> two(2, 1000);
  EXPECT_EQ(sent("Neighbor_alltoall",
                 [&](Rank) {
                   return Action{.kind = ActionKind::neighbor_alltoall,
                                 .tag = 3,
                                 .bytes = 1000,
                                 .receive_bytes = 1000,
                                 .ranks = neighbours};
                 }),
            16000U);
  EXPECT_EQ(sent("Neighbor_alltoallv",
                 [&](Rank) {
                   return Action{.kind = ActionKind::neighbor_alltoallv,
                                 .tag = 3,
                                 .counts = two,
                                 .receive_counts = two,
                                 .ranks = neighbours};
                 }),
            16000U);
}

TEST(BytesSent, of_a_broadcast_are_its_roots_alone_also_between_groups) {
  EXPECT_EQ(sent("Bcast", [](Rank) { return Action{.kind = ActionKind::broadcast, .peer = 3, .bytes = 1000}; }), 1000U);
  MemorySource run(ranks);
  const auto between = run.add_communicator({0, 1, 2}, {3, 4, 5, 6, 7});
  for (Rank rank = 0; rank < ranks; ++rank) {
    const Rank root = rank == 1 ? trace::root_of_remote_group : rank < 3 ? trace::no_rank : 1;
    run.add(rank, {.kind = ActionKind::broadcast, .communicator = between, .peer = root, .bytes = 1000});
    run.add(rank, {.kind = ActionKind::gather, .communicator = between, .peer = root, .bytes = rank < 3 ? 0U : 10U});
  }
  run.finalize();
  const Summary summary = summarise(run);
  EXPECT_EQ(summary.calls.at("Bcast").bytes, 1000U);
  EXPECT_EQ(summary.calls.at("Gather").bytes, 50U);
}

TEST(BytesSent, are_none_of_what_asks_for_processes) {
  const std::vector<Bytes> processes{2, 5};
  EXPECT_EQ(sent("Comm_spawn_multiple",
                 [&](Rank) { return Action{.kind = ActionKind::comm_spawn_multiple, .peer = 0, .counts = processes}; }),
            0U);
}

TEST(BytesSent, are_the_same_in_regions) {
  MemorySource run(ranks);
  run.description().regions = {"exchange"};
  for (Rank rank = 0; rank < ranks; ++rank) {
    run.add(rank, {.kind = ActionKind::region_begin, .region = 0});
    run.add(rank, {.kind = ActionKind::alltoall, .bytes = 1000, .receive_bytes = 1000});
    run.add(rank, {.kind = ActionKind::region_end, .region = 0});
    run.add(rank, {.kind = ActionKind::alltoall, .bytes = 1, .receive_bytes = 1});
  }
  run.finalize();
  EXPECT_EQ(region_figures(run).at(0).bytes, 64000U);
}

} // namespace
} // namespace timeless::tools
