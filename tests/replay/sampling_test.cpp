#include "iterating_programs.h"
#include "machines.h"
#include "tests/trace/samples.h"
#include "tests/trace/shared_structures.h"

#include "base/mixing.h"
#include "replay/engine/steady/sampling.h"
#include "replay/replay.h"
#include "trace/archive/reader.h"

#include <gtest/gtest.h>

#include <cmath>

namespace timeless::replay::test::sampling_test {
namespace {

using trace::ActionKind;
using trace::MemorySource;
using trace::Rank;
using trace::Source;

Result replayed(const Source& source, double sample, std::uint64_t seed = 1, ReplayOptions options = {},
                const std::vector<std::size_t>& lanes = {0, 1, 2}) {
  options.sample = sample;
  options.sample_seed = seed;
  options.jumps = sample > 0 ? Jumps::taken : Jumps::none;
  return replay(source, fractional_machine(source.run().size, lanes), options);
}

/// Neighbours around a ring exchange, and all meet; volumes vary by `spread` of themselves, iteration by iteration.
MemorySource noisy_halo(Rank ranks, std::uint64_t iterations, double spread, std::uint64_t seed) {
  return iterating(ranks, iterations, [=](MemorySource& program, Rank rank, std::uint64_t i) {
    const std::uint64_t drawn = splitmix64(splitmix64(splitmix64(seed) + static_cast<std::uint64_t>(rank)) + i);
    const double noise = spread * (static_cast<double>(drawn >> 11U) / 0x1p53 - 0.5);
    program.compute(rank, static_cast<std::uint64_t>(1e6 * (1 + noise)));
    program.add(rank, {.kind = ActionKind::send, .peer = (rank + 1) % ranks, .bytes = 800});
    program.add(rank, {.kind = ActionKind::receive, .peer = (rank + ranks - 1) % ranks, .bytes = 800});
    program.add(rank, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
  });
}

TEST(SamplePlan, plays_one_block_of_each_part_and_accounts_for_all_iterations) {
  for (const std::uint64_t iterations : {250U, 1000U, 99999U})
    for (const double share : {0.2, 0.31, 0.5})
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const auto plan = SamplePlan::make(iterations, share, seed);
        ASSERT_TRUE(plan) << iterations << " " << share;
        std::uint64_t at = SamplePlan::settling;
        std::uint64_t skipped = 0;
        for (const SamplePlan::Part& part : plan->parts()) {
          EXPECT_EQ(part.first, at);
          EXPECT_LE(part.first, part.block);
          EXPECT_EQ(part.measure, part.block + SamplePlan::settling);
          EXPECT_EQ(part.end, part.measure + SamplePlan::measured);
          EXPECT_LE(part.end, part.next);
          EXPECT_EQ(part.times() * SamplePlan::measured, part.block - part.first + part.next - part.end);
          at = part.next;
          skipped += part.times() * SamplePlan::measured;
        }
        EXPECT_LE(at, iterations);
        const double played = static_cast<double>(iterations - skipped) / static_cast<double>(iterations);
        EXPECT_GT(played, 0.85 * share - 0.03);
        EXPECT_LT(played, share + 0.15);
      }
}

TEST(SamplePlan, draws_places_all_over_a_part) {
  std::vector<std::uint64_t> met(17);
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto plan = SamplePlan::make(2 + 10 * 20, 0.2, seed);
    ASSERT_TRUE(plan);
    ASSERT_EQ(plan->parts().size(), 10U);
    for (const SamplePlan::Part& part : plan->parts())
      ++met.at(part.block - part.first);
  }
  for (const std::uint64_t times : met)
    EXPECT_NEAR(static_cast<double>(times), 4000.0 / 17, 75);
}

TEST(SamplePlan, is_refused_where_it_would_say_nothing) {
  EXPECT_FALSE(SamplePlan::make(0, 0.1, 1));
  EXPECT_FALSE(SamplePlan::make(1, 0.5, 1));
  EXPECT_FALSE(SamplePlan::make(100, 0.1, 1)); // two blocks
  EXPECT_TRUE(SamplePlan::make(1000, 0.1, 1));
}

TEST(SampleErrors, are_those_of_successive_differences) {
  const auto plan = SamplePlan::make(2 + 13 * 24, 0.17, 3);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->parts().size(), 13U);
  ASSERT_EQ(plan->parts().front().times(), 10U);
  SampleErrors errors(2);
  std::vector<std::vector<double>> blocks;
  for (int i = 0; i < 13; ++i)
    blocks.push_back({i % 2 == 0 ? 1.0 : 3.0, 5.0});
  errors.add(*plan, blocks);
  // Twelve differences of 2: a block's variance is 2. Eight degrees: 2.306 (tables of Student's distribution).
  EXPECT_NEAR(errors.half_width(0), 2.306 * std::sqrt(13 * 10 * 11 * 2.0), 1e-9);
  EXPECT_EQ(errors.half_width(1), 0);
}

TEST(Samples, of_equal_iterations_are_exact) {
  for (const Rank ranks : {2, 6}) {
    const MemorySource program = iterating(ranks, 2000, halo(ranks, 7, true));
    const Result sampled = replayed(program, 0.05);
    const Result played = replayed(program, 0);
    ASSERT_TRUE(sampled.steady->sampled);
    EXPECT_GT(static_cast<double>(sampled.steady->actions), 0.9 * static_cast<double>(sampled.actions));
    EXPECT_EQ(sampled.actions, played.actions);
    for (std::size_t lane = 0; lane < played.lanes.size(); ++lane) {
      const double span = played.lanes[lane].makespan;
      EXPECT_NEAR(sampled.lanes[lane].makespan, span, 1e-11 * span);
      EXPECT_LT(sampled.lanes[lane].sampling_error, 1e-11 * span);
      for (std::size_t rank = 0; rank < played.lanes[lane].ranks.size(); ++rank)
        for (const auto counter : rank_counters)
          EXPECT_NEAR(sampled.lanes[lane].ranks[rank].*counter, played.lanes[lane].ranks[rank].*counter, 1e-10 * span);
    }
  }
}

TEST(Samples, give_intervals_that_hold_the_time_as_often_as_they_say) {
  int held = 0;
  int asked = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const MemorySource program = noisy_halo(4, 800, 0.4, seed);
    const Result sampled = replayed(program, 0.1, seed);
    const Result played = replayed(program, 0);
    for (std::size_t lane = 0; lane < played.lanes.size(); ++lane) {
      const double error = sampled.lanes[lane].sampling_error;
      EXPECT_GT(error, 0);
      EXPECT_LT(error, 0.05 * played.lanes[lane].makespan);
      held += std::abs(sampled.lanes[lane].makespan - played.lanes[lane].makespan) <= error ? 1 : 0;
      ++asked;
    }
  }
  EXPECT_GE(held, asked * 9 / 10);
  EXPECT_LT(held, asked); // wider than they have to be, if none is ever missed
}

TEST(Samples, are_the_same_again_and_others_with_another_seed) {
  const MemorySource program = noisy_halo(4, 800, 0.4, 5);
  const auto makespan = [&](std::uint64_t seed, std::uint32_t threads) {
    ReplayOptions options;
    options.threads = threads;
    const std::vector<std::size_t> lanes{0, 1, 2, 3, 4, 0, 1, 2, 3, 4};
    std::vector<double> all;
    for (const LaneResult& lane : replayed(program, 0.1, seed, options, lanes).lanes) {
      all.push_back(lane.makespan);
      all.push_back(lane.sampling_error);
    }
    return all;
  };
  EXPECT_EQ(makespan(1, 1), makespan(1, 1));
  EXPECT_EQ(makespan(1, 1), makespan(1, 2));
  EXPECT_NE(makespan(1, 1), makespan(2, 1));
}

TEST(Samples, are_the_same_from_a_gathered_archive) {
  const MemorySource program = noisy_halo(4, 800, 0.4, 9);
  const trace::test::TemporaryDirectory directory;
  trace::test::write_archive(program, directory.path() / "run.tia");
  trace::test::share_structures(trace::ArchiveReader(directory.path() / "run.tia"), directory.path() / "gathered.tia");
  const Result memory = replayed(program, 0.1);
  const Result archive = replayed(trace::ArchiveReader(directory.path() / "gathered.tia"), 0.1);
  for (std::size_t lane = 0; lane < memory.lanes.size(); ++lane) {
    EXPECT_TRUE(same_bits(memory.lanes[lane], archive.lanes[lane]));
    EXPECT_EQ(memory.lanes[lane].sampling_error, archive.lanes[lane].sampling_error);
  }
}

TEST(Samples, of_some_configurations_make_the_report_of_all_one_of_an_estimate) {
  SteadyReport estimated;
  estimated.actions = 900;
  estimated.sampled = SteadyReport::Sampled{.share = 0.1, .seed = 7};
  SteadyReport played;
  played.played_since = {"messages wait"};
  SteadyReport one = estimated;
  one.add(played);
  SteadyReport other = played;
  other.add(estimated);
  EXPECT_EQ(one, other);
  EXPECT_EQ(one.actions, 0U);
  EXPECT_EQ(one.sampled, estimated.sampled);
  EXPECT_EQ(one.played_since, played.played_since);
}

TEST(Samples, are_not_taken_of_short_loops_and_the_result_says_so) {
  const MemorySource program = noisy_halo(2, 40, 0.4, 1);
  const Result sampled = replayed(program, 0.1);
  EXPECT_EQ(sampled.steady->actions, 0U);
  EXPECT_FALSE(sampled.steady->sampled);
  ASSERT_EQ(sampled.steady->played_since.size(), 1U);
  EXPECT_NE(sampled.steady->played_since.front().find("fewer than 10 blocks"), std::string::npos);
  const Result played = replayed(program, 0);
  for (std::size_t lane = 0; lane < played.lanes.size(); ++lane) {
    EXPECT_NEAR(sampled.lanes[lane].makespan, played.lanes[lane].makespan, 1e-12 * played.lanes[lane].makespan);
    EXPECT_EQ(sampled.lanes[lane].sampling_error, 0);
  }
}

} // namespace
} // namespace timeless::replay::test::sampling_test
