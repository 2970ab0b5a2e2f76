#include "machines.h"
#include "random_program.h"
#include "scalar_replay.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <iostream>

namespace timeless::replay::test {
namespace {

using trace::ActionKind;
using trace::MemorySource;

/// A machine whose lanes have eager limits of their own, of a few sizes or none, and a handshake that is not a number
/// of latencies.
class LimitedMachine : public IntegerMachine {
public:
  LimitedMachine(Rank ranks, std::uint64_t seed, std::vector<std::uint64_t> lane_seeds, std::vector<Bytes> limits)
      : IntegerMachine(ranks, seed, std::move(lane_seeds)), limits_(std::move(limits)) {}

  std::span<const Bytes> eager_limits() const override { return limits_; }
  void handshake(LinkClass link, std::size_t segment, std::span<double> seconds) const override {
    for (std::size_t lane = 0; lane < seconds.size(); ++lane)
      seconds[lane] = static_cast<double>(limits_[lane] % 7 + 11 * (link + 1) + 17 * segment);
  }

private:
  std::vector<Bytes> limits_;
};

bool same_bits(const LaneResult& lane, const std::vector<ScalarTimes>& expected) {
  for (std::size_t rank = 0; rank < expected.size(); ++rank) {
    const RankTimes& times = expected[rank];
    if (std::memcmp(&lane.ranks.at(rank), &times, sizeof times) != 0) return false;
    if (lane.rank_sensitivities.empty()) continue;
    if (std::memcmp(&lane.rank_sensitivities.at(rank), &expected[rank].path, sizeof expected[rank].path) != 0)
      return false;
  }
  return lane.ranks.size() == expected.size();
}

struct Counts {
  std::uint64_t lanes = 0;
  std::uint64_t deadlocks = 0;
  std::uint64_t mixed = 0; ///< programs with lanes of both sorts
};

ProgramLimits some_limits(std::uint64_t seed) {
  constexpr std::array posted_before{0, 0, 50, 80, 95, 100};
  return {.most_ranks = 2 + static_cast<Rank>(seed % 5),
          .most_events = static_cast<std::uint32_t>(10 + seed % 60),
          .synchronous = seed % 4 == 0 ? 3 : 0,
          .posted_before = posted_before[seed % 6]};
}

std::vector<Bytes> some_eager_limits(std::uint64_t seed, std::size_t lanes) {
  constexpr std::array<Bytes, 8> choice{0, 7, 64, 500, 4096, 99'999, 100'000, no_eager_limit};
  std::vector<Bytes> limits;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    std::uint64_t state = (seed + lane * 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
    state ^= state >> 29U;
    limits.push_back(choice[(state * 0x94d049bb133111ebU) >> 61U]);
  }
  return limits;
}

/// Random programs on lanes with different eager limits: the same lanes end, and at the same times, as one by one.
Counts compare_with_scalar_replay(std::uint64_t first_seed, std::uint64_t cases) {
  constexpr std::size_t lanes = 6;
  Counts counts;
  for (std::uint64_t seed = first_seed; seed < first_seed + cases; ++seed) {
    const MemorySource program = random_program(seed, some_limits(seed));
    LimitedMachine machine(program.run().size, seed, {seed, seed + 1, seed + 2, seed + 3, seed + 4, seed + 5},
                           some_eager_limits(seed, lanes));
    ReplayOptions options;
    options.overlap = seed % 5 == 0 ? Overlap::bandwidth_first : Overlap::latency_first;
    options.budget = static_cast<std::uint32_t>(1 + seed % 7);
    options.sensitivities = seed % 2 == 0;
    if (seed % 3 == 0) options.handshake = static_cast<double>(seed % 4);
    Result result;
    try {
      result = replay(program, machine, options);
    } catch (const ReplayProblem& problem) {
      if (problem.diagnosis().blocked.empty()) throw;
      result.lanes.resize(lanes);
      for (LaneResult& lane : result.lanes)
        lane.deadlock = std::make_shared<Diagnosis>(problem.diagnosis());
    }
    std::size_t deadlocks = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const auto expected = scalar_replay_or_deadlock(program, machine, lane, options);
      const LaneResult& found = result.lanes[lane];
      EXPECT_EQ(!found.deadlock, expected.has_value()) << "seed " << seed << ", lane " << lane;
      if (!expected) ++deadlocks;
      if (expected && !found.deadlock) {
        EXPECT_TRUE(same_bits(found, *expected)) << "seed " << seed << ", lane " << lane;
      }
      if (testing::Test::HasFailure()) return counts;
    }
    counts.lanes += lanes;
    counts.deadlocks += deadlocks;
    if (deadlocks > 0 && deadlocks < lanes) ++counts.mixed;
  }
  return counts;
}

/// TIMELESS_RENDEZVOUS_PROGRAMS says how many programs to try, from which seed on.
TEST(Rendezvous, random_programs_with_mixed_limits_equal_the_scalar_replay_lane_by_lane) {
  std::uint64_t cases = 3000;
  if (const char* wanted = std::getenv("TIMELESS_RENDEZVOUS_PROGRAMS")) cases = std::strtoull(wanted, nullptr, 10);
  const Counts counts = compare_with_scalar_replay(1, cases);
  std::cout << counts.lanes << " lanes, " << counts.deadlocks << " in a deadlock, " << counts.mixed
            << " programs that end in some lanes only\n";
  // A sample in which everything ended, or nothing, would show little.
  EXPECT_GT(counts.deadlocks * 10, counts.lanes);
  EXPECT_LT(counts.deadlocks * 10, counts.lanes * 7);
  EXPECT_GT(counts.mixed * 10, cases);
}

} // namespace
} // namespace timeless::replay::test
