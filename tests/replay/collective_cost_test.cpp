// The cost table of docs/model.md, at its switch points, worked out by hand.
#include "machines.h"
#include "replay/collectives/collectives.h"
#include "replay/replay.h"
#include "trace/model/memory_source.h"

#include <gtest/gtest.h>

#include <numeric>
#include <ostream>

namespace timeless::replay {

void PrintTo(const CollectiveCost& cost, std::ostream* out) {
  *out << "{" << cost.messages << " messages, " << cost.bytes << " bytes, " << cost.reduced_bytes << " reduced}";
}

namespace test::collective_cost_test {
namespace {

using trace::Action;
using trace::ActionKind;
using Cost = CollectiveCost;

/// Without the processors' part.
Cost on_the_way(CollectiveModel model, const CollectiveShape& shape) {
  Cost cost = collective_cost(model, shape);
  cost.sends = cost.nonblocking_sends = cost.receives = 0;
  return cost;
}

Cost mpich(ActionKind kind, std::uint32_t members, double bytes, std::uint32_t element_bytes = 1) {
  return on_the_way(CollectiveModel::mpich,
                    {.kind = kind, .members = members, .bytes = bytes, .element_bytes = element_bytes});
}

TEST(CollectiveCost, barrier_takes_a_message_for_each_doubling) {
  EXPECT_EQ(mpich(ActionKind::barrier, 2, 0), (Cost{1, 0, 0}));
  EXPECT_EQ(mpich(ActionKind::barrier, 8, 0), (Cost{3, 0, 0}));
  EXPECT_EQ(mpich(ActionKind::barrier, 9, 0), (Cost{4, 0, 0}));
  EXPECT_EQ(mpich(ActionKind::barrier, 1024, 0), (Cost{10, 0, 0}));
}

TEST(CollectiveCost, broadcast_is_a_tree_below_12288_bytes_or_8_members) {
  EXPECT_EQ(mpich(ActionKind::broadcast, 8, 12287), (Cost{3, 3 * 12287, 0}));
  EXPECT_EQ(mpich(ActionKind::broadcast, 7, 1e6), (Cost{3, 3e6, 0}));
  EXPECT_EQ(mpich(ActionKind::broadcast, 9, 100), (Cost{4, 400, 0}));
}

TEST(CollectiveCost, broadcast_scatters_and_gathers_from_12288_bytes) {
  // 2 lg 8 = 6 messages, 2 n 7/8 bytes
  EXPECT_EQ(mpich(ActionKind::broadcast, 8, 12288), (Cost{6, 2 * 12288.0 * 7 / 8, 0}));
  EXPECT_EQ(mpich(ActionKind::broadcast, 8, 524280), (Cost{6, 2 * 524280.0 * 7 / 8, 0}));
  // ring: lg p + p - 1
  EXPECT_EQ(mpich(ActionKind::broadcast, 8, 524288), (Cost{10, 2 * 524288.0 * 7 / 8, 0}));
  EXPECT_EQ(mpich(ActionKind::broadcast, 10, 20000), (Cost{13, 36000, 0}));
}

TEST(CollectiveCost, reduce_is_a_tree_up_to_2048_bytes) {
  EXPECT_EQ(mpich(ActionKind::reduce, 8, 2048), (Cost{3, 6144, 6144}));
  EXPECT_EQ(mpich(ActionKind::reduce, 8, 4096), (Cost{6, 2 * 3584, 3584}));
  // p = 10: floor(lg) = 3; 2*3+1 messages, (2 9/10 + 1) n bytes, (1 + 9/10) n reduced
  EXPECT_EQ(mpich(ActionKind::reduce, 10, 10000), (Cost{7, 28000, 19000}));
}

TEST(CollectiveCost, allreduce_doubles_up_to_2048_bytes) {
  EXPECT_EQ(mpich(ActionKind::allreduce, 16, 2048), (Cost{4, 8192, 8192}));
  EXPECT_EQ(mpich(ActionKind::allreduce, 16, 4096), (Cost{8, 2 * 3840, 3840}));
  EXPECT_EQ(mpich(ActionKind::allreduce, 10, 10000), (Cost{8, 38000, 19000}));
}

TEST(CollectiveCost, reductions_stay_trees_for_user_operations_and_for_few_elements) {
  for (const ActionKind kind : {ActionKind::reduce, ActionKind::allreduce}) {
    const CollectiveShape user{.kind = kind, .members = 8, .bytes = 1e5, .element_bytes = 8, .user_operation = true};
    EXPECT_EQ(on_the_way(CollectiveModel::mpich, user), (Cost{3, 3e5, 3e5}));
    // 7 elements among 8 or 9 members are fewer than the 8 of the largest power of two; 8 elements are enough.
    EXPECT_EQ(mpich(kind, 8, 7000, 1000), (Cost{3, 21000, 21000}));
    EXPECT_EQ(mpich(kind, 9, 7000, 1000), (Cost{4, 28000, 28000}));
    EXPECT_EQ(mpich(kind, 8, 8000, 1000), (Cost{6, 14000, 7000}));
  }
}

TEST(CollectiveCost, allgather_doubles_then_goes_round_the_ring) {
  EXPECT_EQ(mpich(ActionKind::allgather, 8, 524280), (Cost{3, 458745, 0}));
  EXPECT_EQ(mpich(ActionKind::allgather, 8, 524288), (Cost{7, 458752, 0}));
  EXPECT_EQ(mpich(ActionKind::allgather, 10, 81910), (Cost{4, 73719, 0}));
  EXPECT_EQ(mpich(ActionKind::allgather, 10, 81920), (Cost{9, 73728, 0}));
  EXPECT_EQ(mpich(ActionKind::allgatherv, 10, 81920), (Cost{9, 73728, 0}));
}

TEST(CollectiveCost, alltoall_is_brucks_up_to_256_bytes_a_pair_among_8_or_more) {
  EXPECT_EQ(mpich(ActionKind::alltoall, 8, 256 * 8), (Cost{3, 1024 * 3, 0}));
  EXPECT_EQ(mpich(ActionKind::alltoall, 12, 1200), (Cost{4, 2400, 0}));
}

TEST(CollectiveCost, alltoall_has_32_messages_on_their_way_at_once_and_goes_pairwise_from_32_kB_a_pair) {
  EXPECT_EQ(mpich(ActionKind::alltoall, 8, 257 * 8), (Cost{1, 2056, 0, 257}));
  EXPECT_EQ(mpich(ActionKind::alltoall, 7, 700), (Cost{1, 700, 0, 100}));
  EXPECT_EQ(mpich(ActionKind::alltoall, 33, 33 * 1000), (Cost{2, 33000, 0, 1000}));
  EXPECT_EQ(mpich(ActionKind::alltoall, 8, 8 * 32769), (Cost{7, 8 * 32769, 0}));
  EXPECT_EQ(mpich(ActionKind::alltoallv, 8, 80), (Cost{1, 80, 0, 10}));
  EXPECT_EQ(mpich(ActionKind::alltoallw, 64, 640), (Cost{2, 640, 0, 10}));
}

TEST(CollectiveCost, bytes_of_messages_side_by_side_overlap) {
  const auto beside = [](ActionKind kind, std::uint32_t members, double bytes) {
    return on_the_way(
        CollectiveModel::mpich,
        {.kind = kind, .members = members, .bytes = bytes, .library = {.alltoall_throttle = 4, .side_by_side = true}});
  };
  EXPECT_EQ(beside(ActionKind::alltoall, 10, 10000), (Cost{3, 3000, 0, 1000}));
  EXPECT_EQ(beside(ActionKind::alltoallv, 16, 160), (Cost{4, 40, 0, 10}));
  EXPECT_EQ(beside(ActionKind::gatherv, 8, 800), (Cost{1, 100, 0, 100}));
  EXPECT_EQ(beside(ActionKind::scatterv, 8, 800), (Cost{1, 100, 0, 100}));
}

TEST(CollectiveCost, reduce_scatter_halves_then_goes_pairwise) {
  for (const ActionKind kind : {ActionKind::reduce_scatter, ActionKind::reduce_scatter_block}) {
    EXPECT_EQ(mpich(kind, 8, 524280), (Cost{3, 458745, 458745}));
    EXPECT_EQ(mpich(kind, 10, 1000), (Cost{5, 1900, 1900}));
    EXPECT_EQ(mpich(kind, 8, 524288), (Cost{7, 458752, 458752}));
    const CollectiveShape noncommutative{.kind = kind, .members = 8, .bytes = 800, .commutative = false};
    // lg 8 = 3 messages, n (3 - 7/8)
    EXPECT_EQ(on_the_way(CollectiveModel::mpich, noncommutative), (Cost{3, 1700, 1700}));
  }
}

TEST(CollectiveCost, gather_and_scatter_are_trees_and_their_v_variants_linear) {
  EXPECT_EQ(mpich(ActionKind::gather, 8, 800), (Cost{3, 700, 0}));
  EXPECT_EQ(mpich(ActionKind::scatter, 10, 1000), (Cost{4, 900, 0}));
  EXPECT_EQ(mpich(ActionKind::gatherv, 8, 800), (Cost{1, 700, 0, 100}));
  EXPECT_EQ(mpich(ActionKind::scatterv, 10, 1000), (Cost{1, 900, 0, 100}));
}

TEST(CollectiveCost, scans_are_reducing_trees) {
  EXPECT_EQ(mpich(ActionKind::scan, 5, 1e6), (Cost{3, 3e6, 3e6}));
  EXPECT_EQ(mpich(ActionKind::exscan, 16, 10), (Cost{4, 40, 40}));
}

TEST(CollectiveCost, creating_a_communicator_is_a_small_allreduce) {
  EXPECT_EQ(mpich(ActionKind::comm_dup, 16, 8), (Cost{4, 32, 0}));
  EXPECT_EQ(mpich(ActionKind::comm_split, 3, 8), (Cost{2, 16, 0}));
}

TEST(CollectiveCost, alone_everything_is_free) {
  for (int code = 40; code <= 91; ++code)
    if (const auto kind = trace::action_kind(static_cast<std::uint8_t>(code))) {
      EXPECT_EQ(mpich(*kind, 1, 1e6), Cost{}) << trace::name(*kind);
      EXPECT_EQ(collective_cost(CollectiveModel::simple, {.kind = *kind, .members = 1, .bytes = 1e6}), Cost{});
    }
}

TEST(CollectiveCost, simple_model_is_the_papers_for_every_collective) {
  for (const ActionKind kind : {ActionKind::broadcast, ActionKind::reduce, ActionKind::alltoall, ActionKind::allreduce})
    EXPECT_EQ(collective_cost(CollectiveModel::simple, {.kind = kind, .members = 64, .bytes = 1e6}), (Cost{6, 6e6, 0}));
}

/// A collective's overheads: {blocking sends, nonblocking ones, receives}.
struct Overheads {
  double sends;
  double nonblocking_sends;
  double receives;
  bool operator==(const Overheads&) const = default;
};

void PrintTo(const Overheads& one, std::ostream* out) {
  *out << "{" << one.sends << ", " << one.nonblocking_sends << ", " << one.receives << "}";
}

Overheads overheads(CollectiveModel model, const CollectiveShape& shape) {
  const Cost cost = collective_cost(model, shape);
  return {cost.sends, cost.nonblocking_sends, cost.receives};
}

TEST(CollectiveCost, processors_send_and_receive_each_message_that_the_last_member_waits_for) {
  const auto of = [](ActionKind kind, std::uint32_t members, double bytes) {
    return overheads(CollectiveModel::mpich, {.kind = kind, .members = members, .bytes = bytes, .element_bytes = 1});
  };
  EXPECT_EQ(of(ActionKind::barrier, 9, 0), (Overheads{0, 4, 4}));
  EXPECT_EQ(of(ActionKind::broadcast, 8, 100), (Overheads{3, 0, 3}));
  EXPECT_EQ(of(ActionKind::broadcast, 8, 524288), (Overheads{3, 7, 10}));
  EXPECT_EQ(of(ActionKind::reduce, 8, 4096), (Overheads{3, 3, 6}));
  EXPECT_EQ(of(ActionKind::reduce, 10, 10000), (Overheads{4, 3, 7}));
  EXPECT_EQ(of(ActionKind::allreduce, 10, 10000), (Overheads{2, 6, 8}));
  EXPECT_EQ(of(ActionKind::allgather, 10, 81920), (Overheads{0, 9, 9}));
  EXPECT_EQ(of(ActionKind::reduce_scatter, 10, 1000), (Overheads{2, 3, 5}));
  EXPECT_EQ(of(ActionKind::scan, 5, 10), (Overheads{0, 3, 3}));
  EXPECT_EQ(of(ActionKind::gather, 8, 800), (Overheads{3, 0, 3}));
  EXPECT_EQ(of(ActionKind::gatherv, 8, 800), (Overheads{0, 1, 7}));
  EXPECT_EQ(of(ActionKind::scatterv, 8, 800), (Overheads{0, 7, 1}));
  EXPECT_EQ(of(ActionKind::alltoall, 12, 12 * 1000), (Overheads{0, 12, 12}));
  EXPECT_EQ(of(ActionKind::alltoall, 8, 8 * 32769), (Overheads{0, 7, 7}));
  const CollectiveShape own_copied{
      .kind = ActionKind::alltoallv, .members = 12, .bytes = 1200, .library = {.copies_own_part = true}};
  EXPECT_EQ(overheads(CollectiveModel::mpich, own_copied), (Overheads{0, 11, 11}));
  EXPECT_EQ(overheads(CollectiveModel::simple, own_copied), (Overheads{0, 0, 0}));
}

TEST(CollectiveBytes, each_kind_counts_what_the_table_calls_n) {
  const std::vector<Bytes> counts{1, 2, 3, 4};
  const auto bytes = [](const Action& action) { return cost_bytes(action, 4); };
  EXPECT_EQ(bytes({.kind = ActionKind::barrier}), 0);
  EXPECT_EQ(bytes({.kind = ActionKind::broadcast, .bytes = 7}), 7);
  EXPECT_EQ(bytes({.kind = ActionKind::allreduce, .bytes = 7}), 7);
  EXPECT_EQ(bytes({.kind = ActionKind::gather, .bytes = 7}), 28);
  EXPECT_EQ(bytes({.kind = ActionKind::scatter, .bytes = 7}), 28);
  EXPECT_EQ(bytes({.kind = ActionKind::scatter, .receive_bytes = 7}), 28);
  EXPECT_EQ(bytes({.kind = ActionKind::allgather, .flags = trace::flag_in_place, .receive_bytes = 7}), 28);
  EXPECT_EQ(bytes({.kind = ActionKind::alltoall, .bytes = 7, .receive_bytes = 7}), 28);
  EXPECT_EQ(bytes({.kind = ActionKind::gatherv, .bytes = 2, .receive_counts = counts}), 10);
  EXPECT_EQ(bytes({.kind = ActionKind::gatherv, .bytes = 2}), 2);
  EXPECT_EQ(bytes({.kind = ActionKind::scatterv, .counts = counts}), 10);
  EXPECT_EQ(bytes({.kind = ActionKind::allgatherv, .receive_counts = counts}), 10);
  EXPECT_EQ(bytes({.kind = ActionKind::alltoallv, .counts = counts}), 10);
  EXPECT_EQ(bytes({.kind = ActionKind::reduce_scatter, .counts = counts}), 10);
  EXPECT_EQ(bytes({.kind = ActionKind::reduce_scatter_block, .bytes = 3}), 12);
}

/// All ranks call the collective at 0; returns rank 0's times.
RankTimes alone_in_time(Rank ranks, const Action& action, const FlatCosts& costs) {
  trace::MemorySource program(ranks);
  for (Rank rank = 0; rank < ranks; ++rank)
    program.add(rank, action);
  program.finalize();
  const Network machine = flat_machine(ranks, {costs});
  return replay(program, machine).lanes.at(0).ranks.at(0);
}

TEST(CollectiveReplay, allreduce_pays_latency_bytes_and_arithmetic) {
  const RankTimes times = alone_in_time(8, {.kind = ActionKind::allreduce, .bytes = 4096, .element_bytes = 8},
                                        {.latency = 100, .byte_time = 2, .reduction = 3});
  EXPECT_EQ(times.latency, 600);
  EXPECT_EQ(times.bandwidth, 2 * 7168);
  EXPECT_EQ(times.overhead, 3 * 3584);
  EXPECT_EQ(times.end, 600 + 2 * 7168 + 3 * 3584);
}

TEST(CollectiveReplay, the_largest_of_the_members_sizes_counts) {
  trace::MemorySource program(2);
  const std::vector<Bytes> little{1, 2};
  const std::vector<Bytes> much{30, 40};
  program.add(0, {.kind = ActionKind::alltoallv, .counts = little, .receive_counts = little});
  program.add(1, {.kind = ActionKind::alltoallv, .counts = much, .receive_counts = little});
  program.finalize();
  const Network machine = flat_machine(2, {{.latency = 100, .byte_time = 2}});
  EXPECT_EQ(replay(program, machine).lanes.at(0).makespan, 100 + 140);
}

} // namespace
} // namespace test::collective_cost_test
} // namespace timeless::replay
