#include "machines.h"
#include "random_program.h"
#include "scalar_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace timeless::replay::test::attribution_test {
namespace {

/// Returns the program, its computations in some of `kernels` kernels, or in none.
trace::MemorySource with_kernels(const trace::MemorySource& program, trace::KernelId kernels) {
  trace::MemorySource source(program.run().size, 50);
  source.description().communicators = program.run().communicators;
  source.description().kernels.resize(kernels);
  for (Rank rank = 0; rank < program.run().size; ++rank) {
    const auto stream = program.open(rank);
    for (trace::ActionBlock block; stream->next(block);)
      trace::for_each_action(block, [&](const trace::Action& action, std::uint64_t volume) {
        if (action.kind != trace::ActionKind::compute)
          source.add(rank, action);
        else
          source.compute(rank, volume,
                         volume % (kernels + 1) == kernels ? trace::no_kernel
                                                           : static_cast<trace::KernelId>(volume % (kernels + 1)));
      });
  }
  return source;
}

ReplayOptions divided_by(AttributeBy by) {
  ReplayOptions options;
  options.attribute = by;
  return options;
}

std::string subject(const Attribution& attribution, const AttributedTimes& part) {
  if (attribution.by == AttributeBy::calls) return attribution.calls.at(part.subject);
  return part.subject == no_subject ? "" : std::to_string(part.subject);
}

/// Returns the parts of one rank, added up as listed.
RankTimes sum(const Attribution& attribution, Rank rank, std::size_t lane) {
  RankTimes all;
  for (const AttributedTimes& part : attribution.parts)
    if (part.rank == rank)
      for (double RankTimes::*const counter : rank_counters)
        all.*counter += part.lanes.at(lane).*counter;
  return all;
}

TEST(Attribution, random_programs_are_divided_as_by_the_scalar_replay) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const trace::MemorySource program = with_kernels(random_program(seed, {.most_ranks = 5, .most_events = 40}), 5);
    IntegerMachine machine(program.run().size, seed, {seed, seed + 1});
    ReplayOptions options;
    options.attribute = seed % 2 == 0 ? AttributeBy::calls : AttributeBy::kernels;
    options.budget = static_cast<std::uint32_t>(1 + seed % 7);
    const Attribution attribution = replay(program, machine, options).attribution;
    ASSERT_EQ(attribution.by, options.attribute);
    for (std::size_t lane = 0; lane < 2; ++lane) {
      auto expected = scalar_attribution(program, machine, lane, options);
      for (const AttributedTimes& part : attribution.parts) {
        auto& of_rank = expected[static_cast<std::size_t>(part.rank)];
        const std::string key = subject(attribution, part);
        ASSERT_TRUE(same_bits(part.lanes[lane], of_rank[key]))
            << "seed " << seed << ", rank " << part.rank << ", " << key;
        of_rank.erase(key);
      }
      for (const auto& of_rank : expected)
        for (const auto& [key, times] : of_rank)
          ASSERT_EQ(times.end, 0) << "seed " << seed << ": " << key << " is missing";
    }
  }
}

/// Returns three lanes whose costs are fractions.
Network fractional_machine(Rank ranks) {
  std::vector<HockneyLane> lanes;
  for (const double odd : {1.0, 3.0, 7.0})
    lanes.push_back({.name = "",
                     .between_nodes = {1e-6 * odd / 3, 1e-9 / odd},
                     .within_node = {1e-7 * odd / 7, 1e-10 / odd},
                     .memory_copy_byte_time = 3.1e-11 * odd,
                     .reduction_byte_time = 1.7e-10 / odd,
                     .compute_scale = 1 / odd});
  return hockney_network(lanes, one_rank_per_node(ranks, 1.0 / 3e9));
}

TEST(Attribution, changes_no_bit_of_the_result_and_adds_up_to_it_exactly) {
  for (std::uint64_t seed = 100; seed < 200; ++seed) {
    const trace::MemorySource program = with_kernels(random_program(seed, {.most_ranks = 6, .most_events = 300}), 7);
    const Network machine = fractional_machine(program.run().size);
    const Result plain = replay(program, machine);
    for (const AttributeBy by : {AttributeBy::calls, AttributeBy::kernels}) {
      const Result divided = replay(program, machine, divided_by(by));
      for (std::size_t lane = 0; lane < 3; ++lane)
        for (Rank rank = 0; rank < program.run().size; ++rank) {
          const RankTimes& times = plain.lanes[lane].ranks[static_cast<std::size_t>(rank)];
          ASSERT_TRUE(same_bits(times, divided.lanes[lane].ranks[static_cast<std::size_t>(rank)])) << "seed " << seed;
          const RankTimes all = sum(divided.attribution, rank, lane);
          for (double RankTimes::*const counter : rank_counters)
            ASSERT_EQ(all.*counter, times.*counter) << "seed " << seed << ", rank " << rank;
        }
      const std::vector<AttributedTimes> means = mean_parts(divided);
      for (std::size_t lane = 0; lane < 3; ++lane)
        for (double RankTimes::*const counter : rank_counters)
          ASSERT_EQ(std::accumulate(means.begin(), means.end(), 0.0,
                                    [&](double all, const auto& part) { return all + part.lanes[lane].*counter; }),
                    mean(divided.lanes[lane]).*counter);
    }
  }
}

/// Returns two ranks: one computes in kernel 0 for 30 us and sends, the other computes in kernel 1 for 10 us and
/// receives.
trace::MemorySource late_sender() {
  trace::MemorySource program(2);
  program.description().kernels.resize(2);
  program.compute(0, 30000, 0);
  program.add(0, {.kind = trace::ActionKind::send, .peer = 1, .bytes = 1000});
  program.compute(1, 10000, 1);
  program.add(1, {.kind = trace::ActionKind::receive, .peer = 0, .bytes = 1000});
  program.finalize();
  return program;
}

Network microsecond_machine() {
  return hockney_network(
      {{.name = "", .between_nodes = {5e-6, 1e-9}, .within_node = {}, .memory_copy_byte_time = 2e-9}},
      one_rank_per_node(2, 1e-9));
}

TEST(Attribution, by_call_says_which_calls_wait) {
  const trace::MemorySource program = late_sender();
  const Network machine = microsecond_machine();
  const Attribution attribution = replay(program, machine, divided_by(AttributeBy::calls)).attribution;
  EXPECT_THAT(attribution.calls, testing::ElementsAre("computation", "Recv", "Send"));
  ASSERT_EQ(attribution.parts.size(), 4U);
  EXPECT_NEAR(attribution.parts[0].lanes[0].compute, 30e-6, 1e-15);
  EXPECT_EQ(attribution.parts[1].subject, 2U);
  EXPECT_NEAR(attribution.parts[1].lanes[0].memory_copy, 2e-6, 1e-15);
  EXPECT_NEAR(attribution.parts[2].lanes[0].compute, 10e-6, 1e-15);
  const AttributedTimes& receive = attribution.parts[3];
  EXPECT_EQ(receive.subject, 1U);
  EXPECT_EQ(receive.count, 1U);
  EXPECT_NEAR(receive.lanes[0].wait, 22e-6, 1e-15);
  EXPECT_NEAR(receive.lanes[0].latency, 5e-6, 1e-15);
  EXPECT_NEAR(receive.lanes[0].bandwidth, 1e-6, 1e-15);
  EXPECT_NEAR(receive.lanes[0].end, 28e-6, 1e-15);
}

TEST(Attribution, by_kernel_gives_a_kernel_the_calls_that_follow_it) {
  const trace::MemorySource program = late_sender();
  const Network machine = microsecond_machine();
  const Attribution attribution = replay(program, machine, divided_by(AttributeBy::kernels)).attribution;
  ASSERT_EQ(attribution.parts.size(), 2U);
  EXPECT_EQ(attribution.parts[0].subject, 0U);
  EXPECT_EQ(attribution.parts[0].count, 1U);
  EXPECT_NEAR(attribution.parts[0].lanes[0].end, 32e-6, 1e-15);
  EXPECT_EQ(attribution.parts[1].subject, 1U);
  EXPECT_NEAR(attribution.parts[1].lanes[0].compute, 10e-6, 1e-15);
  EXPECT_NEAR(attribution.parts[1].lanes[0].wait, 22e-6, 1e-15);
}

TEST(Attribution, what_there_is_no_memory_for_is_put_together_and_said) {
  const trace::MemorySource program = with_kernels(random_program(5, {.most_ranks = 6, .most_events = 400}), 20);
  const Network machine = fractional_machine(program.run().size);
  const Result all = replay(program, machine, divided_by(AttributeBy::kernels));
  EXPECT_THAT(all.notes, testing::Not(testing::Contains(testing::HasSubstr("memory"))));
  ReplayOptions little = divided_by(AttributeBy::kernels);
  little.attribution_bytes = 3000;
  const Result few = replay(program, machine, little);
  EXPECT_THAT(few.notes, testing::Contains(testing::HasSubstr("memory")));
  EXPECT_LT(few.attribution.parts.size(), all.attribution.parts.size());
  EXPECT_TRUE(std::ranges::any_of(few.attribution.parts,
                                  [](const AttributedTimes& part) { return part.subject == other_subjects; }));
  for (Rank rank = 0; rank < program.run().size; ++rank)
    for (double RankTimes::*const counter : rank_counters)
      EXPECT_EQ(sum(few.attribution, rank, 0).*counter, few.lanes[0].ranks[static_cast<std::size_t>(rank)].*counter);
}

TEST(Attribution, the_largest_part_takes_what_rounding_leaves) {
  std::vector<double> parts{0.1, 0.2, 0.3};
  close_sum(parts, 0.6);
  EXPECT_EQ(parts[0] + parts[1] + parts[2], 0.6);
  EXPECT_EQ(parts[0], 0.1);
  EXPECT_EQ(parts[1], 0.2);
  EXPECT_NEAR(parts[2], 0.3, 1e-15);
}

} // namespace
} // namespace timeless::replay::test::attribution_test
