#include "machines.h"
#include "random_program.h"

#include "replay/network/variations.h"
#include "replay/replay.h"

#include <gtest/gtest.h>

#include <numeric>

namespace timeless::replay::test::sensitivity_test {
namespace {

/// What a machine's link costs between nodes and its computation are multiplied by.
struct Factors {
  double latency = 1;
  double bandwidth = 1; ///< of the time per byte
  double compute = 1;
};

constexpr std::size_t lane_count = 3;

Result replay_changed(const trace::Source& program, std::uint64_t seed, const Factors& factors) {
  IntegerMachine machine(program.run().size, seed, {seed, seed + 1, seed + 2});
  if (seed % 3 == 0) machine.add_rarities();
  std::vector<Variation> lanes;
  for (std::size_t lane = 0; lane < lane_count; ++lane)
    lanes.push_back({lane, factors.latency, factors.bandwidth, factors.compute});
  ReplayOptions options;
  options.sensitivities = true;
  if (seed % 5 == 0) options.collectives = CollectiveModel::schedule;
  options.overlap = seed % 2 == 0 ? Overlap::bandwidth_first : Overlap::latency_first;
  return replay(program, varied(machine, lanes), options);
}

double predicted_growth(const Sensitivity& sensitivity, const Factors& factors) {
  return sensitivity.latency * (factors.latency - 1) + sensitivity.bandwidth * (factors.bandwidth - 1) +
         sensitivity.compute * (factors.compute - 1);
}

/// An end is the longest of the paths that lead to it, so no change makes it come earlier than along the one that was
/// critical; but for those where the order of arrivals decides what a rank's own work delays. All numbers are exact in
/// double arithmetic here.
TEST(Sensitivity, an_end_never_comes_earlier_than_the_tangent_says) {
  constexpr Factors changes[] = {{2, 1, 1}, {1, 2, 1}, {1, 1, 2}, {0.5, 1, 1}, {1, 0.5, 1},  {1, 1, 0.5},   {0, 0, 0},
                                 {8, 1, 1}, {1, 8, 1}, {1, 1, 8}, {0, 4, 1},   {4, 0, 0.25}, {0.25, 1, 16}, {3, 5, 7}};
  int checked = 0;
  for (std::uint64_t seed = 2000; seed < 2600; ++seed) {
    const trace::MemorySource program = random_program(seed, {.most_ranks = 6, .most_events = 100});
    const Result before = replay_changed(program, seed, {});
    if (before.order_matters) continue;
    ++checked;
    const Factors& factors = changes[seed % std::size(changes)];
    const Result after = replay_changed(program, seed, factors);
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
      const LaneResult& old = before.lanes[lane];
      ASSERT_GE(after.lanes[lane].makespan - old.makespan, predicted_growth(old.sensitivity, factors))
          << "seed " << seed << ", lane " << lane;
      for (std::size_t rank = 0; rank < old.ranks.size(); ++rank)
        ASSERT_GE(after.lanes[lane].ranks[rank].end - old.ranks[rank].end,
                  predicted_growth(old.rank_sensitivities[rank], factors))
            << "seed " << seed << ", lane " << lane << ", rank " << rank;
    }
  }
  EXPECT_GT(checked, 60);
}

/// Where an end grows and shrinks alike, there is no corner, and it must do so exactly as predicted.
TEST(Sensitivity, small_changes_move_an_end_by_exactly_the_slope) {
  constexpr double small = 0x1p-24;
  std::uint64_t ends = 0;
  std::uint64_t smooth = 0;
  std::uint64_t moved = 0;
  for (double Factors::*const changed : {&Factors::latency, &Factors::bandwidth, &Factors::compute})
    for (std::uint64_t seed = 3000; seed < 3150; ++seed) {
      const trace::MemorySource program = random_program(seed, {.most_ranks = 6, .most_events = 60});
      Factors more;
      Factors less;
      more.*changed += small;
      less.*changed -= small;
      const Result here = replay_changed(program, seed, {});
      const Result up = replay_changed(program, seed, more);
      const Result down = replay_changed(program, seed, less);
      for (std::size_t lane = 0; lane < lane_count; ++lane)
        for (std::size_t rank = 0; rank < here.lanes[lane].ranks.size(); ++rank) {
          const double end = here.lanes[lane].ranks[rank].end;
          const double growth = up.lanes[lane].ranks[rank].end - end;
          const double shrinkage = end - down.lanes[lane].ranks[rank].end;
          const double slope = predicted_growth(here.lanes[lane].rank_sensitivities[rank], more);
          ASSERT_GE(growth, slope) << "seed " << seed << ", lane " << lane << ", rank " << rank;
          ASSERT_LE(shrinkage, slope) << "seed " << seed << ", lane " << lane << ", rank " << rank;
          ++ends;
          if (growth == shrinkage) ++smooth;
          if (growth == shrinkage && slope > 0) ++moved;
        }
    }
  EXPECT_GT(smooth, ends * 9 / 10);
  EXPECT_GT(moved, ends / 2);
}

TEST(Sensitivity, of_a_message_is_its_latency_its_bytes_and_the_senders_computation) {
  trace::MemorySource program(2);
  program.compute(0, 100);
  program.add(0, {.kind = trace::ActionKind::send, .peer = 1, .bytes = 7});
  program.compute(1, 30);
  program.add(1, {.kind = trace::ActionKind::receive, .peer = 0, .bytes = 7});
  program.compute(1, 5);
  program.finalize();
  const Network machine = flat_machine(
      2, {{.latency = 11, .byte_time = 2, .memory_copy = 3}, {.latency = 11, .byte_time = 2, .compute_scale = 0}});
  ReplayOptions options;
  options.sensitivities = true;
  const Result result = replay(program, machine, options);
  // 100 + 7 * 3 (the copy, nobody's) + 11 + 7 * 2 + 5.
  EXPECT_EQ(result.lanes[0].makespan, 151);
  EXPECT_EQ(result.lanes[0].sensitivity.latency, 11);
  EXPECT_EQ(result.lanes[0].sensitivity.bandwidth, 14);
  EXPECT_EQ(result.lanes[0].sensitivity.compute, 105);
  EXPECT_EQ(result.lanes[0].rank_sensitivities[0].compute, 100);
  EXPECT_EQ(result.lanes[0].rank_sensitivities[0].latency, 0);
  EXPECT_EQ(result.lanes[1].makespan, 25);
  EXPECT_EQ(result.lanes[1].sensitivity.latency, 11);
  EXPECT_EQ(result.lanes[1].sensitivity.compute, 0);
}

TEST(Sensitivity, does_not_count_links_within_a_node) {
  trace::MemorySource program(3);
  program.add(0, {.kind = trace::ActionKind::send, .peer = 1, .bytes = 10});
  program.add(1, {.kind = trace::ActionKind::receive, .peer = 0, .bytes = 10});
  program.add(1, {.kind = trace::ActionKind::send, .peer = 2, .bytes = 10});
  program.add(2, {.kind = trace::ActionKind::receive, .peer = 1, .bytes = 10});
  program.finalize();
  const Network machine = hockney_network({{.name = "lane", .between_nodes = {16, 4}, .within_node = {1, 2}}},
                                          {.node_of_rank = {0, 0, 1}, .seconds_per_unit = {1}});
  ReplayOptions options;
  options.sensitivities = true;
  const Result result = replay(program, machine, options);
  EXPECT_EQ(result.lanes[0].makespan, 1 + 20 + 16 + 40);
  EXPECT_EQ(result.lanes[0].sensitivity.latency, 16);
  EXPECT_EQ(result.lanes[0].sensitivity.bandwidth, 40);
}

TEST(Sensitivity, of_a_run_is_that_of_the_lowest_rank_that_ends_last) {
  trace::MemorySource program(3);
  program.compute(0, 5);
  program.compute(1, 20);
  program.add(2, {.kind = trace::ActionKind::receive, .peer = 0});
  program.add(0, {.kind = trace::ActionKind::send, .peer = 2});
  program.finalize();
  const Network machine = flat_machine(3, {{.latency = 15}});
  ReplayOptions options;
  options.sensitivities = true;
  const Result result = replay(program, machine, options);
  EXPECT_EQ(result.lanes[0].ranks[1].end, 20);
  EXPECT_EQ(result.lanes[0].ranks[2].end, 20);
  EXPECT_EQ(result.lanes[0].sensitivity.compute, 20);
  EXPECT_EQ(result.lanes[0].sensitivity.latency, 0);
}

TEST(Sensitivity, does_not_depend_on_who_comes_first_to_a_collective) {
  // In the first lane all but rank 2's receiver compute until 12, when the message arrives there.
  trace::MemorySource program(4);
  program.add(2, {.kind = trace::ActionKind::send, .peer = 1});
  program.add(1, {.kind = trace::ActionKind::receive, .peer = 2});
  for (const Rank rank : {0, 2, 3})
    program.compute(rank, 12);
  for (const Rank rank : {0, 1, 2, 3})
    program.add(rank, {.kind = trace::ActionKind::barrier});
  program.finalize();
  const Network machine = flat_machine(4, {{.latency = 12}, {.latency = 10}, {.latency = 13}});
  std::vector<Result> results;
  for (const std::uint32_t budget : {1U, 2U, 3U, 64U}) {
    ReplayOptions options;
    options.sensitivities = true;
    options.budget = budget;
    results.push_back(replay(program, machine, options));
    for (std::size_t lane = 0; lane < 3; ++lane)
      EXPECT_TRUE(same_bits(results.back().lanes[lane], results.front().lanes[lane])) << budget << ", lane " << lane;
  }
  // Then two steps of the barrier.
  EXPECT_EQ(results[0].lanes[0].sensitivity.latency, 36);
  EXPECT_EQ(results[0].lanes[0].sensitivity.compute, 0);
  EXPECT_EQ(results[0].lanes[1].sensitivity.latency, 20);
  EXPECT_EQ(results[0].lanes[1].sensitivity.compute, 12);
  EXPECT_EQ(results[0].lanes[2].sensitivity.latency, 39);
  EXPECT_EQ(results[0].lanes[2].sensitivity.compute, 0);
}

TEST(Sensitivity, a_lane_has_the_same_bits_alone_and_in_any_batch_whatever_the_budget) {
  for (std::uint64_t seed = 4000; seed < 4020; ++seed) {
    const trace::MemorySource program = random_program(seed, {.most_ranks = 6, .most_events = 300});
    std::vector<std::size_t> lanes(40);
    std::iota(lanes.begin(), lanes.end(), 0U);
    const Network together = fractional_machine(program.run().size, lanes);
    ReplayOptions options;
    options.sensitivities = true;
    const Result batch = replay(program, together, options);
    options.sensitivities = false;
    const Result without = replay(program, together, options);
    options.sensitivities = true;
    for (const std::size_t lane : lanes) {
      options.budget = static_cast<std::uint32_t>(lane + 1);
      const Network alone = fractional_machine(program.run().size, {lane});
      const Result single = replay(program, alone, options);
      ASSERT_TRUE(same_bits(batch.lanes[lane], single.lanes[0])) << "seed " << seed << ", lane " << lane;
      for (std::size_t rank = 0; rank < single.lanes[0].ranks.size(); ++rank)
        ASSERT_TRUE(same_bits(without.lanes[lane].ranks[rank], single.lanes[0].ranks[rank]))
            << "seed " << seed << ", lane " << lane;
    }
  }
}

} // namespace
} // namespace timeless::replay::test::sensitivity_test
