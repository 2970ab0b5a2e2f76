#include "machines.h"
#include "random_program.h"
#include "scalar_replay.h"

#include <gtest/gtest.h>

#include <numeric>

namespace timeless::replay::test::random_replay_test {
namespace {

std::string show(const RankTimes& times) {
  std::string text;
  for (const double value :
       {times.end, times.compute, times.memory_copy, times.overhead, times.wait, times.latency, times.bandwidth})
    text += std::to_string(value) + " ";
  return text;
}

std::string show(const Sensitivity& path) {
  return std::to_string(path.latency) + " " + std::to_string(path.bandwidth) + " " + std::to_string(path.compute);
}

/// A random program on a random machine, lane by lane against the scalar replay, to the last bit.
void compare_with_scalar_replay(std::uint64_t seed, const ProgramLimits& limits) {
  const trace::MemorySource program = random_program(seed, limits);
  IntegerMachine machine(program.run().size, seed, {seed, seed + 1, seed + 2});
  if (seed % 4 >= 2) machine.add_rarities();
  ReplayOptions options;
  options.completions = seed % 11 == 0 ? CompletionOrder::as_listed : CompletionOrder::of_arrival;
  options.nonblocking_copy = seed % 13 != 0;
  options.creation = seed % 17 != 0;
  constexpr CollectiveModel models[] = {CollectiveModel::simple, CollectiveModel::mpich, CollectiveModel::schedule};
  options.collectives = models[seed % 3];
  options.overlap = seed % 5 == 0 ? Overlap::bandwidth_first : Overlap::latency_first;
  options.budget = static_cast<std::uint32_t>(1 + seed % 7);
  options.sensitivities = seed % 3 != 1;
  if (seed % 4 == 1) options.ports = Ports::receiver;
  if (seed % 4 == 3) options.ports = Ports::node;
  if (options.ports != Ports::none) options.completions = CompletionOrder::of_arrival;
  const Result result = replay(program, machine, options);
  for (std::size_t lane = 0; lane < 3; ++lane) {
    const auto expected = scalar_replay(program, machine, lane, options);
    for (std::size_t rank = 0; rank < expected.size(); ++rank)
      ASSERT_TRUE(same_bits(result.lanes[lane].ranks[rank], expected[rank]))
          << "seed " << seed << ", lane " << lane << ", rank " << rank << "\n  engine "
          << show(result.lanes[lane].ranks[rank]) << "\n  scalar " << show(expected[rank]);
    if (!options.sensitivities) continue;
    for (std::size_t rank = 0; rank < expected.size(); ++rank)
      ASSERT_TRUE(same_bits(result.lanes[lane].rank_sensitivities[rank], expected[rank].path))
          << "seed " << seed << ", lane " << lane << ", rank " << rank << "\n  engine "
          << show(result.lanes[lane].rank_sensitivities[rank]) << "\n  scalar " << show(expected[rank].path);
  }
}

void compare_with_scalar_replay(std::uint64_t first_seed, std::uint64_t cases, const ProgramLimits& limits) {
  for (std::uint64_t seed = first_seed; seed < first_seed + cases && !testing::Test::HasFailure(); ++seed) {
    try {
      compare_with_scalar_replay(seed, limits);
    } catch (const std::exception& error) {
      FAIL() << "seed " << seed << ": " << error.what();
    }
  }
}

TEST(RandomReplay, short_programs_equal_the_scalar_replay_in_every_counter) {
  compare_with_scalar_replay(1, 20000, {.most_ranks = 5, .most_events = 40});
}

TEST(RandomReplay, long_programs_equal_the_scalar_replay_in_every_counter) {
  compare_with_scalar_replay(1000000, 800, {.most_ranks = 8, .most_events = 1500, .most_actions_per_block = 64});
}

TEST(RandomReplay, threads_of_a_rank_equal_the_scalar_replay_in_every_counter) {
  compare_with_scalar_replay(2000000, 6000, {.most_ranks = 4, .most_events = 60, .most_threads = 3});
  compare_with_scalar_replay(3000000, 300, {.most_ranks = 5, .most_events = 1500, .most_threads = 4});
}

TEST(RandomReplay, counters_add_up_to_the_end) {
  for (std::uint64_t seed = 50000; seed < 50200; ++seed) {
    const trace::MemorySource program = random_program(seed);
    IntegerMachine machine(program.run().size, seed, {seed});
    const Result result = replay(program, machine);
    for (const RankTimes& times : result.lanes[0].ranks)
      ASSERT_EQ(times.compute + times.memory_copy + times.overhead + times.wait + times.latency + times.bandwidth,
                times.end)
          << "seed " << seed;
  }
}

std::vector<std::size_t> first_lanes(std::size_t count) {
  std::vector<std::size_t> lanes(count);
  std::iota(lanes.begin(), lanes.end(), 0U);
  return lanes;
}

TEST(RandomReplay, a_lane_has_the_same_bits_alone_and_in_any_batch) {
  for (std::uint64_t seed = 200; seed < 230; ++seed) {
    const trace::MemorySource program = random_program(seed, {.most_ranks = 6, .most_events = 400});
    const Network together = fractional_machine(program.run().size, first_lanes(64));
    const Result batch = replay(program, together);
    for (std::size_t lane = 0; lane < 64; ++lane) {
      const Network alone = fractional_machine(program.run().size, {lane});
      const Result single = replay(program, alone);
      for (std::size_t rank = 0; rank < single.lanes[0].ranks.size(); ++rank)
        ASSERT_TRUE(same_bits(batch.lanes[lane].ranks[rank], single.lanes[0].ranks[rank]))
            << "seed " << seed << ", lane " << lane << ", rank " << rank;
    }
    const Network odd = fractional_machine(program.run().size, first_lanes(21));
    const Result twenty_one = replay(program, odd);
    for (std::size_t lane = 0; lane < 21; ++lane)
      ASSERT_TRUE(same_bits(batch.lanes[lane].ranks[0], twenty_one.lanes[lane].ranks[0]));
  }
}

TEST(RandomReplay, the_budget_and_the_blocks_do_not_change_a_bit) {
  for (std::uint64_t seed = 300; seed < 360; ++seed) {
    std::vector<Result> results;
    for (const std::uint32_t budget : {1U, 2U, 64U, 1000000U}) {
      // The same events whatever the blocks: their size is the generator's first draw, so it is cut afterwards.
      const trace::MemorySource program =
          random_program(seed, {.most_ranks = 6, .most_events = 400, .most_threads = static_cast<int>(1 + seed % 3)});
      trace::MemorySource cut(program.run().size, budget % 97 + 1);
      cut.description().communicators = program.run().communicators;
      for (Rank rank = 0; rank < program.run().size; ++rank) {
        const auto stream = program.open(rank);
        for (trace::ActionBlock block; stream->next(block);)
          trace::for_each_action(block, [&](const trace::Action& action, std::uint64_t volume) {
            if (action.kind == trace::ActionKind::compute)
              cut.compute(rank, volume);
            else
              cut.add(rank, action);
          });
      }
      const Network machine = fractional_machine(program.run().size, first_lanes(9));
      ReplayOptions options;
      options.budget = budget;
      results.push_back(replay(cut, machine, options));
    }
    for (const Result& result : results)
      for (std::size_t lane = 0; lane < 9; ++lane)
        for (std::size_t rank = 0; rank < result.lanes[lane].ranks.size(); ++rank)
          ASSERT_TRUE(same_bits(result.lanes[lane].ranks[rank], results[0].lanes[lane].ranks[rank])) << "seed " << seed;
  }
}

TEST(RandomReplay, many_arrivals_at_once_are_taken_in_the_same_order_as_few) {
  // 40 messages with different sizes and senders, taken by one Waitall: more than the engine sorts by exchanges.
  constexpr Rank senders = 40;
  trace::MemorySource program(senders + 1);
  std::vector<trace::RequestId> requests;
  for (Rank rank = 1; rank <= senders; ++rank) {
    const auto request = static_cast<trace::RequestId>(rank);
    program.compute(rank, static_cast<std::uint64_t>((rank * 7919) % 40) * 1000);
    program.add(rank,
                {.kind = trace::ActionKind::send, .peer = 0, .bytes = static_cast<Bytes>((rank * 31) % 17) * 100});
    program.add(0, {.kind = trace::ActionKind::receive, .peer = rank, .bytes = 2000, .request = request});
    requests.push_back(request);
  }
  program.compute(0, 5000);
  program.add(0, {.kind = trace::ActionKind::wait_all, .requests = requests});
  program.finalize();
  std::vector<std::uint64_t> seeds(200);
  std::iota(seeds.begin(), seeds.end(), 1U);
  IntegerMachine machine(senders + 1, 1, seeds);
  const Result result = replay(program, machine);
  for (std::size_t lane = 0; lane < seeds.size(); ++lane)
    ASSERT_TRUE(same_bits(result.lanes[lane].ranks[0], scalar_replay(program, machine, lane)[0])) << "lane " << lane;
}

} // namespace
} // namespace timeless::replay::test::random_replay_test
