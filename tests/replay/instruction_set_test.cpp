#include "machines.h"
#include "random_program.h"

#include "replay/engine/clocks/lane_kernels.h"
#include "replay/replay.h"

#include <gtest/gtest.h>

#include <numeric>

namespace timeless::replay::test::instruction_set_test {
namespace {

TEST(InstructionSet, the_best_is_one_of_those_available_and_baseline_always_is) {
  const auto available = available_instruction_sets();
  ASSERT_FALSE(available.empty());
  EXPECT_EQ(available.front(), InstructionSet::baseline);
  EXPECT_EQ(resolved(InstructionSet::best), available.back());
  for (const InstructionSet set : available)
    EXPECT_EQ(resolved(set), set);
}

TEST(InstructionSet, one_that_the_processor_lacks_is_a_missing_capability) {
  const trace::MemorySource program = random_program(1);
  const Network machine = fractional_machine(program.run().size, {0});
  for (const InstructionSet set : {InstructionSet::avx2, InstructionSet::avx512}) {
    if (is_available(set)) continue;
    ReplayOptions options;
    options.instruction_set = set;
    try {
      replay(program, machine, options);
      ADD_FAILURE() << name(set);
    } catch (const Error& error) {
      EXPECT_EQ(error.failure(), Failure::missing_capability);
    }
  }
}

/// Otherwise the tests below would compare one set with itself.
TEST(InstructionSet, each_has_kernels_of_its_own) {
  for (const bool graded : {false, true})
    for (const InstructionSet left : available_instruction_sets())
      for (const InstructionSet right : available_instruction_sets())
        EXPECT_EQ(lane_kernels(left, graded).receive == lane_kernels(right, graded).receive, left == right);
}

TEST(InstructionSet, every_one_gives_the_same_bits) {
  constexpr std::size_t lane_counts[] = {1, 2, 21, 64};
  for (std::uint64_t seed = 500; seed < 560; ++seed) {
    const trace::MemorySource program = random_program(seed, {.most_ranks = 6, .most_events = 400});
    std::vector<std::size_t> lanes(lane_counts[seed % 4]);
    std::iota(lanes.begin(), lanes.end(), seed);
    std::vector<Result> results;
    for (const InstructionSet set : available_instruction_sets()) {
      const Network machine = fractional_machine(program.run().size, lanes);
      ReplayOptions options;
      options.instruction_set = set;
      options.sensitivities = seed % 3 == 0;
      options.overlap = seed % 5 == 0 ? Overlap::bandwidth_first : Overlap::latency_first;
      results.push_back(replay(program, machine, options));
    }
    for (const Result& result : results)
      for (std::size_t lane = 0; lane < lanes.size(); ++lane)
        ASSERT_TRUE(same_bits(result.lanes[lane], results[0].lanes[lane])) << "seed " << seed << ", lane " << lane;
  }
}

/// More arrivals at once than are sorted by exchanges, too.
TEST(InstructionSet, every_one_sorts_arrivals_alike) {
  for (const Rank senders : {3, 16, 40}) {
    trace::MemorySource program(senders + 1);
    std::vector<trace::RequestId> requests;
    for (Rank rank = 1; rank <= senders; ++rank) {
      program.compute(rank, static_cast<std::uint64_t>((rank * 7919) % 40) * 1000);
      program.add(rank,
                  {.kind = trace::ActionKind::send, .peer = 0, .bytes = static_cast<Bytes>((rank * 31) % 17) * 100});
      requests.push_back(static_cast<trace::RequestId>(rank));
      program.add(0, {.kind = trace::ActionKind::receive, .peer = rank, .bytes = 2000, .request = requests.back()});
    }
    program.add(0, {.kind = trace::ActionKind::wait_all, .requests = requests});
    program.finalize();
    std::vector<std::size_t> lanes(200);
    std::iota(lanes.begin(), lanes.end(), 0U);
    for (const bool sensitivities : {false, true}) {
      std::vector<Result> results;
      for (const InstructionSet set : available_instruction_sets()) {
        const Network machine = fractional_machine(senders + 1, lanes);
        ReplayOptions options;
        options.instruction_set = set;
        options.sensitivities = sensitivities;
        results.push_back(replay(program, machine, options));
      }
      for (const Result& result : results)
        for (std::size_t lane = 0; lane < lanes.size(); ++lane)
          ASSERT_TRUE(same_bits(result.lanes[lane], results[0].lanes[lane])) << senders << ", lane " << lane;
    }
  }
}

} // namespace
} // namespace timeless::replay::test::instruction_set_test
