#include "analysis/efficiencies.h"

#include "replay/network/hockney_network.h"
#include "replay/replay.h"
#include "trace/model/memory_source.h"

#include <gtest/gtest.h>

namespace timeless::analysis {
namespace {

using replay::Rank;
using trace::ActionKind;

/// 5 us and 1 ns a byte between nodes; a unit of volume takes 1 ns.
replay::LaneResult on_a_machine(const trace::MemorySource& program, double compute_scale = 1) {
  const replay::Network network = replay::hockney_network({{.name = "",
                                                            .between_nodes = {5e-6, 1e-9},
                                                            .within_node = {},
                                                            .memory_copy_byte_time = 1e-9,
                                                            .reduction_byte_time = 1e-9,
                                                            .compute_scale = compute_scale}},
                                                          replay::one_rank_per_node(program.run().size, 1e-9));
  replay::ReplayOptions options;
  options.ideal = true;
  return replay::replay(program, network, options).lanes.at(0);
}

/// Each rank computes what it is given and all meet in a barrier.
trace::MemorySource meeting_after(const std::vector<std::uint64_t>& volumes) {
  trace::MemorySource program(static_cast<Rank>(volumes.size()));
  for (Rank rank = 0; rank < program.run().size; ++rank) {
    program.compute(rank, volumes[static_cast<std::size_t>(rank)]);
    program.add(rank, {.kind = ActionKind::barrier});
  }
  program.finalize();
  return program;
}

TEST(Efficiencies, where_one_rank_computes_most_it_is_load_balance_that_is_lost) {
  // 10, 10, 10 and 70 us, then a barrier of two steps of 5 us.
  const Efficiencies found = efficiencies(on_a_machine(meeting_after({10000, 10000, 10000, 70000})));
  EXPECT_NEAR(found.load_balance.value(), 25.0 / 70, 1e-12);
  EXPECT_NEAR(found.serialisation.value(), 1, 1e-12);
  EXPECT_NEAR(found.transfer.value(), 70.0 / 80, 1e-12);
  EXPECT_NEAR(found.communication.value(), 70.0 / 80, 1e-12);
  EXPECT_NEAR(found.parallel.value(), 25.0 / 80, 1e-12);
}

TEST(Efficiencies, where_ranks_compute_one_after_the_other_it_is_serialisation_that_is_lost) {
  // A line of a wavefront: each of four ranks computes 10 us when the rank before has sent its 1000 bytes. A sender
  // copies for 1 us, a message takes 5 us and 1 us.
  trace::MemorySource program(4);
  for (Rank rank = 0; rank < 4; ++rank) {
    if (rank > 0) program.add(rank, {.kind = ActionKind::receive, .peer = rank - 1, .bytes = 1000});
    program.compute(rank, 10000);
    if (rank < 3) program.add(rank, {.kind = ActionKind::send, .peer = rank + 1, .bytes = 1000});
  }
  program.finalize();
  const replay::LaneResult lane = on_a_machine(program);
  EXPECT_NEAR(*lane.ideal_makespan, 40e-6, 1e-15);
  EXPECT_NEAR(lane.makespan, 61e-6, 1e-15);
  const Efficiencies found = efficiencies(lane);
  EXPECT_NEAR(found.load_balance.value(), 1, 1e-12);
  EXPECT_NEAR(found.serialisation.value(), 10.0 / 40, 1e-12);
  EXPECT_NEAR(found.transfer.value(), 40.0 / 61, 1e-12);
  EXPECT_NEAR(found.communication.value(), 10.0 / 61, 1e-12);
  EXPECT_NEAR(found.parallel.value(), 10.0 / 61, 1e-12);
}

TEST(Efficiencies, where_ranks_compute_evenly_and_exchange_much_it_is_transfer_that_is_lost) {
  trace::MemorySource program(2);
  for (Rank rank = 0; rank < 2; ++rank) {
    program.compute(rank, 10000);
    program.add(rank, {.kind = ActionKind::exchange,
                       .peer = 1 - rank,
                       .bytes = 24000,
                       .receive_peer = 1 - rank,
                       .receive_bytes = 24000});
  }
  program.finalize();
  // 10 us, 24 us of copying, 5 us, 24 us.
  const Efficiencies found = efficiencies(on_a_machine(program));
  EXPECT_NEAR(found.load_balance.value(), 1, 1e-12);
  EXPECT_NEAR(found.serialisation.value(), 1, 1e-12);
  EXPECT_NEAR(found.transfer.value(), 10.0 / 63, 1e-12);
}

TEST(Efficiencies, the_ideal_makespan_scales_with_computation) {
  const trace::MemorySource program = meeting_after({10000, 40000});
  EXPECT_NEAR(*on_a_machine(program, 0.5).ideal_makespan, 20e-6, 1e-15);
}

TEST(Efficiencies, the_ideal_lane_changes_no_bit_of_the_others) {
  const trace::MemorySource program = meeting_after({12345, 40001, 777});
  const auto replayed = [&](bool ideal) {
    const replay::Network network =
        replay::hockney_network({{.name = "", .between_nodes = {1e-6 / 3, 1e-9 / 7}, .within_node = {}}},
                                replay::one_rank_per_node(3, 1.0 / 3e9));
    replay::ReplayOptions options;
    options.ideal = ideal;
    return replay::replay(program, network, options).lanes;
  };
  const auto with = replayed(true);
  const auto without = replayed(false);
  ASSERT_EQ(with.size(), 1U);
  EXPECT_FALSE(without[0].ideal_makespan);
  EXPECT_EQ(with[0].makespan, without[0].makespan);
  EXPECT_EQ(with[0].ranks[1].wait, without[0].ranks[1].wait);
}

TEST(Efficiencies, are_none_where_nothing_is_there_to_divide_by) {
  trace::MemorySource nothing(2);
  nothing.finalize();
  const Efficiencies no_time = efficiencies(on_a_machine(nothing));
  for (const auto& each :
       {no_time.load_balance, no_time.serialisation, no_time.transfer, no_time.communication, no_time.parallel})
    EXPECT_EQ(each, std::nullopt);
  // Two ranks that only meet: without communication that takes no time, so nothing is said of serialisation either.
  const Efficiencies idle = efficiencies(on_a_machine(meeting_after({0, 0})));
  EXPECT_EQ(idle.load_balance, std::nullopt);
  EXPECT_EQ(idle.serialisation, std::nullopt);
  EXPECT_EQ(idle.transfer, 0);
  EXPECT_EQ(idle.communication, 0);
  EXPECT_EQ(idle.parallel, 0);
}

} // namespace
} // namespace timeless::analysis
