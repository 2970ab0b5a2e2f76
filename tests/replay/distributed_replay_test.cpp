// Several participants of one replay beside each other, with what they send arriving in any order.
#include "iterating_programs.h"
#include "machines.h"
#include "random_program.h"
#include "replay/distributed/rank_division.h"
#include "replay/replay.h"
#include "shuffled_bus.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <optional>
#include <random>

namespace timeless::replay::test::distributed_replay_test {
namespace {

using testing::HasSubstr;
using trace::ActionKind;
using trace::MemorySource;

void expect_same_bits(const Result& one, const Result& other, const std::string& what) {
  EXPECT_EQ(one.actions, other.actions) << what;
  EXPECT_EQ(one.notes, other.notes) << what;
  ASSERT_EQ(one.lanes.size(), other.lanes.size()) << what;
  for (std::size_t lane = 0; lane < one.lanes.size(); ++lane) {
    EXPECT_EQ(one.lanes[lane].name, other.lanes[lane].name) << what;
    EXPECT_EQ(one.lanes[lane].makespan, other.lanes[lane].makespan) << what;
    ASSERT_EQ(one.lanes[lane].ranks.size(), other.lanes[lane].ranks.size()) << what;
    for (std::size_t rank = 0; rank < one.lanes[lane].ranks.size(); ++rank)
      ASSERT_EQ(std::memcmp(&one.lanes[lane].ranks[rank], &other.lanes[lane].ranks[rank], sizeof(RankTimes)), 0)
          << what << ", lane " << lane << ", rank " << rank;
  }
}

/// Returns what ends a replay that cannot be replayed, in words.
template <typename Replay>
std::string problem_of(Replay&& replay_it) {
  try {
    replay_it();
  } catch (const Error& error) {
    return error.description() + " (" + error.where() + "): " + error.advice();
  }
  return "no problem";
}

void compare_random_programs(std::uint64_t first_seed, std::uint64_t cases, const ProgramLimits& limits) {
  for (std::uint64_t seed = first_seed; seed < first_seed + cases; ++seed) {
    const MemorySource program = random_program(seed, limits);
    IntegerMachine machine(program.run().size, seed, {seed, seed + 1, seed + 2});
    ReplayOptions options;
    options.collectives = seed % 3 == 0 ? CollectiveModel::simple : CollectiveModel::mpich;
    options.overlap = seed % 5 == 0 ? Overlap::bandwidth_first : Overlap::latency_first;
    const Result alone = replay(program, machine, options);
    for (const int processes : {2, 3, static_cast<int>(1 + seed % 9)}) {
      options.budget = static_cast<std::uint32_t>(1 + (seed + static_cast<std::uint64_t>(processes)) % 7);
      const Result together = replay_distributed(program, machine, options, processes, seed);
      expect_same_bits(alone, together, "seed " + std::to_string(seed) + ", processes " + std::to_string(processes));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Messages that wait for their receives, within collectives, too, in some lanes; and lanes that come to nothing.
void compare_limited_programs(std::uint64_t first_seed, std::uint64_t cases, const ProgramLimits& limits) {
  std::uint64_t ended = 0;
  std::uint64_t given_up = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + cases; ++seed) {
    const MemorySource program = random_program(seed, limits);
    LimitedMachine machine(program.run().size, seed, {seed, seed + 1, seed + 2}, some_eager_limits(seed, 3));
    machine.depart_late(some_late_departures(seed));
    ReplayOptions options;
    options.collectives = seed % 4 == 0 ? CollectiveModel::mpich : CollectiveModel::schedule;
    const auto result = [&](auto&& replay_it) -> std::optional<Result> {
      try {
        return replay_it();
      } catch (const ReplayProblem& problem) {
        if (problem.diagnosis().blocked.empty()) throw;
        return std::nullopt;
      }
    };
    const auto alone = result([&] { return replay(program, machine, options); });
    for (const int processes : {2, static_cast<int>(1 + seed % 9)}) {
      const std::string what = "seed " + std::to_string(seed) + ", processes " + std::to_string(processes);
      const auto together = result([&] { return replay_distributed(program, machine, options, processes, seed); });
      ASSERT_EQ(alone.has_value(), together.has_value()) << what;
      if (!alone) continue;
      for (std::size_t lane = 0; lane < alone->lanes.size(); ++lane)
        ASSERT_EQ(!alone->lanes[lane].deadlock, !together->lanes[lane].deadlock) << what << ", lane " << lane;
      expect_same_bits(*alone, *together, what);
      if (testing::Test::HasFatalFailure()) return;
      for (const LaneResult& lane : together->lanes)
        ++(lane.deadlock ? given_up : ended);
    }
  }
  EXPECT_GT(ended, cases);
  EXPECT_GT(given_up, cases / 10);
}

TEST(DistributedReplay, programs_with_messages_that_wait_have_the_same_bits_and_deadlocks_on_any_number_of_processes) {
  compare_limited_programs(30000, 600, {.most_ranks = 6, .most_events = 40, .posted_before = 90});
}

TEST(DistributedReplay, short_random_programs_have_the_same_bits_on_any_number_of_processes) {
  compare_random_programs(1, 2000, {.most_ranks = 6, .most_events = 40});
}

TEST(DistributedReplay, long_random_programs_have_the_same_bits_on_any_number_of_processes) {
  compare_random_programs(700000, 100, {.most_ranks = 12, .most_events = 1500, .most_actions_per_block = 64});
}

TEST(DistributedReplay, ranks_with_threads_have_the_same_bits_on_any_number_of_processes) {
  compare_random_programs(50000, 600, {.most_ranks = 6, .most_events = 60, .most_threads = 3});
  compare_random_programs(60000, 30, {.most_ranks = 12, .most_events = 1500, .most_threads = 4});
  compare_limited_programs(70000, 300, {.most_ranks = 6, .most_events = 40, .posted_before = 90, .most_threads = 3});
}

/// Replays a program that iterates with jumps, by itself and on so many processes. Returns what was jumped over.
std::uint64_t compare_jumps(const MemorySource& program, ReplayOptions options, const std::vector<std::size_t>& lanes,
                            std::uint64_t seed) {
  const Network machine = fractional_machine(program.run().size, lanes);
  std::optional<Result> alone;
  const std::string problem = problem_of([&] { alone = replay(program, machine, options); });
  for (const int processes : {1, 2, static_cast<int>(1 + seed % 9)}) {
    const std::string what = "seed " + std::to_string(seed) + ", processes " + std::to_string(processes);
    std::optional<Result> together;
    EXPECT_EQ(problem_of([&] { together = replay_distributed(program, machine, options, processes, seed); }), problem)
        << what;
    if (!alone || !together) continue;
    expect_same_bits(*alone, *together, what);
    EXPECT_EQ(alone->steady, together->steady) << what;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      EXPECT_EQ(alone->lanes[lane].jumped, together->lanes[lane].jumped) << what;
      EXPECT_EQ(alone->lanes[lane].sampling_error, together->lanes[lane].sampling_error) << what;
    }
  }
  return alone ? alone->steady.value().actions : 0;
}

TEST(DistributedReplay, jumps_over_what_one_process_jumps_over_to_the_same_bits) {
  std::uint64_t jumped = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const auto ranks = static_cast<trace::Rank>(2 + seed % 9);
    ReplayOptions options;
    options.jumps = Jumps::taken;
    options.sensitivities = seed % 3 == 0;
    options.ideal = seed % 4 == 0;
    options.incast = seed % 2 == 0;
    if (seed % 5 == 0) options.collectives = CollectiveModel::schedule;
    if (seed % 6 == 1) options.eager_limit = seed % 3000;
    if (seed % 10 == 3) options.iterations = 1000;
    const std::vector<std::size_t> lanes =
        seed % 2 == 0 ? std::vector<std::size_t>{seed % 5} : std::vector<std::size_t>{0, 3, 1};
    jumped += compare_jumps(iterating(ranks, 40 + seed * 7 % 300, anything(ranks, seed)), options, lanes, seed) > 0;
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(jumped, 30U);
}

TEST(DistributedReplay, jumps_over_configurations_apart_where_one_process_does) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    ReplayOptions options;
    options.jumps = Jumps::taken;
    compare_jumps(iterating(8, 300, doubling(8, seed)), options, {0, 1, 2, 3, 4, 5}, seed);
    compare_jumps(iterating(6, 200, halo(6, seed, false)), options, {0, 1, 2, 3}, seed);
  }
}

TEST(DistributedReplay, jumps_over_inner_loops_and_meets_the_states_that_one_process_meets) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    ReplayOptions options;
    options.jumps = Jumps::taken;
    const Iteration inner = seed % 2 == 0 ? doubling(8, seed) : halo(8, seed, true);
    EXPECT_GT(compare_jumps(iterating(8, 60, sweeps(inner, 30, 5)), options, {0, 1}, seed), 0U);
  }
}

TEST(DistributedReplay, samples_what_one_process_samples) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Iteration even = halo(5, 7, true);
    const MemorySource program = iterating(5, 400, [&](MemorySource& run, trace::Rank rank, std::uint64_t iteration) {
      even(run, rank, iteration);
      run.compute(rank, 1000 + iteration * iteration % 1009);
    });
    ReplayOptions options;
    options.jumps = Jumps::taken;
    options.sample = 0.2;
    options.sample_seed = seed;
    EXPECT_GT(compare_jumps(program, options, {0, 1}, seed), 0U);
  }
}

/// Returns all that a path's pieces say, as words.
std::string described(const std::vector<PathSegment>& path) {
  std::string all;
  for (const PathSegment& segment : path) {
    const double seconds[] = {segment.begin, segment.end, segment.compute, segment.latency, segment.bandwidth};
    all += std::to_string(static_cast<int>(segment.kind)) + ' ' + std::to_string(segment.from) + ' ' +
           std::to_string(segment.first_action) + ' ' + std::to_string(segment.rank) + ' ' +
           std::to_string(segment.last_action);
    for (const double value : seconds)
      all += ' ' + std::to_string(std::bit_cast<std::uint64_t>(value));
    all += '\n';
  }
  return all;
}

void compare_critical_paths(std::uint64_t first_seed, std::uint64_t cases, const ProgramLimits& limits,
                            std::size_t path_bytes) {
  for (std::uint64_t seed = first_seed; seed < first_seed + cases; ++seed) {
    const MemorySource program = random_program(seed, limits);
    IntegerMachine machine(program.run().size, seed, {seed});
    ReplayOptions options;
    options.critical_path = true;
    options.collectives = static_cast<CollectiveModel>(seed % 3);
    if (seed % 4 == 0) options.eager_limit = seed % 64;
    std::string alone;
    const std::string problem = problem_of([&] { alone = described(replay(program, machine, options).critical_path); });
    // Nodes that nothing leads to are dropped, in all processes, as soon as there are so many.
    options.path_bytes = path_bytes;
    for (const int processes : {1, 2, static_cast<int>(1 + seed % 9)}) {
      std::string together;
      EXPECT_EQ(problem_of([&] {
                  const Result result = replay_distributed(program, machine, options, processes, seed);
                  together = described(result.critical_path);
                }),
                problem);
      ASSERT_EQ(alone, together) << "seed " << seed << ", processes " << processes;
    }
  }
}

TEST(DistributedReplay, critical_paths_of_random_programs_are_the_same_on_any_number_of_processes) {
  compare_critical_paths(1, 1500, {.most_ranks = 6, .most_events = 40}, 1U << 16U);
}

TEST(DistributedReplay, long_critical_paths_are_the_same_on_any_number_of_processes) {
  compare_critical_paths(700000, 60, {.most_ranks = 12, .most_events = 1500, .most_actions_per_block = 64}, 1U << 18U);
}

} // namespace
} // namespace timeless::replay::test::distributed_replay_test
