// A platform file's routes, looked up by replays in several threads: each meets pairs of hosts in an order of its own.
#include "../replay/machines.h"
#include "../replay/random_program.h"

#include "replay/replay.h"
#include "replay/simgrid/simgrid_network.h"
#include "replay/simgrid/simgrid_platform.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

namespace timeless::replay::test {
namespace {

constexpr int lane_count = 32;

/// Returns 32 hosts whose routes have many lengths.
const SimgridPlatform& torus() {
  static const SimgridPlatform platform = SimgridPlatform::load(TIMELESS_PLATFORMS "/torus-small.xml");
  return platform;
}

Network torus_network(const trace::Run& run) {
  Mapping mapping;
  for (Rank rank = 0; rank < run.size; ++rank)
    mapping.node_of_rank.push_back(static_cast<std::uint32_t>(rank) * 7 % 32);
  SimgridNetworkOptions options;
  options.units_per_second = 1e9;
  options.lanes.clear();
  for (int lane = 0; lane < lane_count; ++lane)
    options.lanes.push_back({.bandwidth = 1 + 0.125 * lane, .latency = 1 + 0.0625 * lane});
  return simgrid_network(torus(), run, mapping, options);
}

trace::MemorySource sixteen_ranks(std::uint64_t seed) {
  return random_program(seed, {.most_ranks = 16, .most_events = 300});
}

ReplayOptions with_threads(std::uint32_t threads, std::uint64_t seed) {
  ReplayOptions options;
  options.threads = threads;
  options.eager_limit = no_eager_limit; // some of these programs end in a deadlock else
  options.collectives = seed % 2 == 0 ? CollectiveModel::schedule : CollectiveModel::mpich;
  return options;
}

void expect_same_lanes(const Result& one, const Result& other, std::uint64_t seed) {
  ASSERT_EQ(one.lanes.size(), lane_count);
  for (std::size_t lane = 0; lane < lane_count; ++lane)
    ASSERT_TRUE(same_bits(one.lanes[lane], other.lanes[lane])) << "seed " << seed << ", lane " << lane;
}

TEST(PlatformThreads, lanes_divided_among_threads_have_the_same_bits) {
  for (std::uint64_t seed = 8000; seed < 8010; ++seed) {
    const trace::MemorySource program = sixteen_ranks(seed);
    const Result alone = replay(program, torus_network(program.run()), with_threads(1, seed));
    for (const std::uint32_t threads : {2U, 4U})
      expect_same_lanes(alone, replay(program, torus_network(program.run()), with_threads(threads, seed)), seed);
  }
}

TEST(PlatformThreads, replays_at_the_same_time_share_one_network) {
  for (std::uint64_t seed = 8010; seed < 8020; ++seed) {
    const trace::MemorySource program = sixteen_ranks(seed);
    const Network network = torus_network(program.run());
    std::array<Result, 3> results;
    {
      std::vector<std::jthread> threads;
      for (Result& result : results)
        threads.emplace_back([&] { result = replay(program, network, with_threads(2, seed)); });
    }
    const Result alone = replay(program, torus_network(program.run()), with_threads(1, seed));
    for (const Result& result : results)
      expect_same_lanes(alone, result, seed);
  }
}

} // namespace
} // namespace timeless::replay::test
