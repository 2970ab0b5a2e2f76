#include "machines.h"
#include "random_program.h"

#include "replay/lane_partition.h"
#include "replay/replay.h"

#include <gtest/gtest.h>

#include <mutex>
#include <numeric>
#include <stdexcept>

namespace timeless::replay::test::lane_partition_test {
namespace {

std::vector<std::uint64_t> lane_seeds(std::size_t lanes, std::uint64_t first) {
  std::vector<std::uint64_t> seeds(lanes);
  std::iota(seeds.begin(), seeds.end(), first);
  return seeds;
}

void expect_same(const Result& left, const Result& right, std::uint64_t seed) {
  ASSERT_EQ(left.lanes.size(), right.lanes.size());
  for (std::size_t lane = 0; lane < left.lanes.size(); ++lane) {
    ASSERT_EQ(left.lanes[lane].name, right.lanes[lane].name) << "seed " << seed;
    ASSERT_EQ(left.lanes[lane].ideal_makespan, right.lanes[lane].ideal_makespan) << "seed " << seed;
    ASSERT_TRUE(same_bits(left.lanes[lane], right.lanes[lane])) << "seed " << seed << ", lane " << lane;
    ASSERT_EQ(left.lanes[lane].deadlock == nullptr, right.lanes[lane].deadlock == nullptr) << "seed " << seed;
    if (left.lanes[lane].deadlock) {
      ASSERT_EQ(text(*left.lanes[lane].deadlock), text(*right.lanes[lane].deadlock)) << "seed " << seed;
    }
  }
  ASSERT_EQ(left.actions, right.actions);
  ASSERT_EQ(left.notes, right.notes) << "seed " << seed;
  ASSERT_EQ(left.not_modelled, right.not_modelled) << "seed " << seed;
  ASSERT_EQ(left.attribution.calls, right.attribution.calls) << "seed " << seed;
  ASSERT_EQ(left.attribution.parts.size(), right.attribution.parts.size()) << "seed " << seed;
  for (std::size_t number = 0; number < left.attribution.parts.size(); ++number) {
    const AttributedTimes& one = left.attribution.parts[number];
    const AttributedTimes& other = right.attribution.parts[number];
    ASSERT_EQ(one.rank, other.rank);
    ASSERT_EQ(one.subject, other.subject);
    ASSERT_EQ(one.count, other.count);
    ASSERT_TRUE(std::ranges::equal(one.lanes, other.lanes,
                                   [](const RankTimes& a, const RankTimes& b) { return same_bits(a, b); }))
        << "seed " << seed;
  }
}

TEST(LanePartition, any_number_of_threads_gives_the_same_bits) {
  for (std::uint64_t seed = 6000; seed < 6060; ++seed) {
    const trace::MemorySource program = random_program(seed, {.most_ranks = 6, .most_events = 200});
    const std::size_t lanes = 1 + seed * 7 % 60;
    ReplayOptions options;
    options.sensitivities = seed % 2 == 0;
    options.ideal = seed % 3 == 0;
    options.attribute = seed % 4 == 0   ? AttributeBy::calls
                        : seed % 4 == 1 ? AttributeBy::kernels
                                        : AttributeBy::nothing;
    // Too little for all parts, now and then.
    if (seed % 8 == 0) options.attribution_bytes = 200000;
    std::vector<Result> results;
    for (const std::uint32_t threads : {1U, 2U, 3U, 5U, 100U}) {
      options.threads = threads;
      IntegerMachine machine(program.run().size, seed, lane_seeds(lanes, seed));
      if (seed % 5 < 2) machine.add_rarities();
      results.push_back(replay(program, machine, options));
    }
    for (const Result& result : results)
      expect_same(result, results.front(), seed);
  }
}

TEST(LanePartition, fractions_have_the_same_bits_too) {
  for (std::uint64_t seed = 6100; seed < 6110; ++seed) {
    const trace::MemorySource program = random_program(seed, {.most_ranks = 6, .most_events = 200});
    std::vector<std::size_t> lanes(65);
    std::iota(lanes.begin(), lanes.end(), 0U);
    std::vector<Result> results;
    for (const std::uint32_t threads : {1U, 2U, 7U}) {
      ReplayOptions options;
      options.threads = threads;
      options.ideal = true;
      const Network machine = fractional_machine(program.run().size, lanes);
      results.push_back(replay(program, machine, options));
    }
    for (const Result& result : results)
      expect_same(result, results.front(), seed);
  }
}

/// Every lane with an eager limit of its own: in some a program comes to an end, in others not.
class LimitedMachine : public IntegerMachine {
public:
  LimitedMachine(Rank ranks, std::uint64_t seed, std::size_t number)
      : IntegerMachine(ranks, seed, lane_seeds(number, seed)) {
    constexpr Bytes choice[] = {0, 64, 4096, 99'999, 100'000, no_eager_limit};
    for (std::size_t lane = 0; lane < number; ++lane)
      lanes[lane].eager_limit = choice[(lane / 3 + seed) % std::size(choice)];
  }
};

TEST(LanePartition, give_up_the_same_lanes_where_messages_wait_for_their_receives) {
  std::uint64_t ended = 0;
  std::uint64_t deadlocked = 0;
  for (std::uint64_t seed = 6300; seed < 6420; ++seed) {
    const trace::MemorySource program = random_program(seed, {.most_ranks = 5,
                                                              .most_events = static_cast<std::uint32_t>(20 + seed % 60),
                                                              .posted_before = static_cast<int>(seed * 37 % 101)});
    std::vector<Result> results;
    std::vector<std::string> failures;
    for (const std::uint32_t threads : {1U, 2U, 5U}) {
      LimitedMachine machine(program.run().size, seed, 40);
      ReplayOptions options;
      options.threads = threads;
      try {
        results.push_back(replay(program, machine, options));
      } catch (const ReplayProblem& problem) {
        failures.push_back(text(problem.diagnosis()));
      }
    }
    ASSERT_TRUE(results.empty() || failures.empty()) << "seed " << seed;
    for (const Result& result : results)
      expect_same(result, results.front(), seed);
    for (const std::string& failure : failures)
      ASSERT_EQ(failure, failures.front()) << "seed " << seed;
    if (results.empty()) continue;
    for (const LaneResult& lane : results.front().lanes)
      ++(lane.deadlock ? deadlocked : ended);
  }
  EXPECT_GT(ended, 500U);
  EXPECT_GT(deadlocked, 500U);
}

trace::MemorySource deadlock() {
  trace::MemorySource program(3);
  for (const Rank rank : {0, 1})
    program.add(rank, {.kind = trace::ActionKind::receive, .peer = 1 - rank});
  program.compute(2, 1);
  program.finalize();
  return program;
}

TEST(LanePartition, a_deadlock_is_diagnosed_as_with_one_thread) {
  const trace::MemorySource program = deadlock();
  std::vector<std::string> diagnoses;
  for (const std::uint32_t threads : {1U, 4U}) {
    IntegerMachine machine(3, 1, lane_seeds(32, 1));
    ReplayOptions options;
    options.threads = threads;
    try {
      replay(program, machine, options);
      FAIL() << "with " << threads << " threads";
    } catch (const ReplayProblem& problem) {
      diagnoses.push_back(text(problem.diagnosis()));
    }
  }
  EXPECT_EQ(diagnoses[0], diagnoses[1]);
}

TEST(LanePartition, a_contradiction_is_told_as_with_one_thread) {
  trace::MemorySource program(2);
  program.compute(0, 1);
  const std::vector<trace::RequestId> never_started{7};
  program.add(0, {.kind = trace::ActionKind::wait_all, .requests = never_started});
  program.finalize();
  std::vector<std::string> messages;
  for (const std::uint32_t threads : {1U, 3U}) {
    IntegerMachine machine(2, 1, lane_seeds(24, 1));
    ReplayOptions options;
    options.threads = threads;
    try {
      replay(program, machine, options);
      FAIL() << "with " << threads << " threads";
    } catch (const Error& error) {
      messages.push_back(std::string(error.description()) + " at " + error.where());
    }
  }
  EXPECT_EQ(messages[0], messages[1]);
}

TEST(LanePartition, progress_rises_to_the_end_and_is_told_by_one_thread_at_a_time) {
  trace::MemorySource program(2, 1000);
  for (int i = 0; i < 1200000; ++i)
    for (const Rank rank : {0, 1})
      program.add(rank, {.kind = rank == 0 ? trace::ActionKind::send : trace::ActionKind::receive, .peer = 1 - rank});
  program.finalize();
  IntegerMachine machine(2, 1, lane_seeds(24, 1));
  ReplayOptions options;
  options.threads = 3;
  std::mutex turn;
  std::vector<std::uint64_t> told;
  options.progress = [&](std::uint64_t done, std::uint64_t) {
    ASSERT_TRUE(turn.try_lock());
    told.push_back(done);
    turn.unlock();
  };
  const Result result = replay(program, machine, options);
  ASSERT_GE(told.size(), 2U);
  EXPECT_TRUE(std::ranges::is_sorted(told, std::less_equal<>()));
  EXPECT_EQ(told.back(), result.actions);
}

TEST(LanePartition, what_progress_throws_ends_the_replay) {
  const trace::MemorySource program = random_program(6200);
  IntegerMachine machine(program.run().size, 1, lane_seeds(24, 1));
  ReplayOptions options;
  options.threads = 3;
  options.progress = [](std::uint64_t, std::uint64_t) { throw std::domain_error("enough"); };
  EXPECT_THROW(replay(program, machine, options), std::domain_error);
}

TEST(LanePartition, are_made_of_many_lanes_only_and_as_many_as_the_machine_has_threads) {
  constexpr std::uint64_t many = 1U << 30U;
  EXPECT_EQ(worthwhile_partitions(1, many, 16), 1U);
  EXPECT_EQ(worthwhile_partitions(64, many, 16), 1U);
  EXPECT_EQ(worthwhile_partitions(256, many, 16), 4U);
  EXPECT_EQ(worthwhile_partitions(256, many, 2), 2U);
  EXPECT_EQ(worthwhile_partitions(256, many, 0), 1U);
  EXPECT_EQ(worthwhile_partitions(4096, 100, 16), 1U);
}

} // namespace
} // namespace timeless::replay::test::lane_partition_test
