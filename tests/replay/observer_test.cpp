// What a replay tells an observer.
#include "base/error.h"
#include "machines.h"
#include "random_program.h"
#include "replay/replay.h"
#include "replay/result/observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace timeless::replay::test::observer_test {
namespace {

using trace::MemorySource;

using test::same_bits;

bool same_bits(double left, double right) {
  return std::memcmp(&left, &right, sizeof left) == 0;
}

/// Keeps what it is told.
class Kept : public Observer {
public:
  struct One {
    std::uint64_t ordinal;
    std::string call;
    double start;
    double end;
    double wait;
    double latency;
    double bandwidth;
    std::uint64_t sent;
    std::vector<std::uint64_t> received;
    auto operator<=>(const One&) const = default;
  };

  explicit Kept(std::size_t lane) : lane_(lane) {}
  std::size_t lane(std::span<const std::string>) override { return lane_; }
  void begin(const trace::Run& run) override { ranks.assign(static_cast<std::size_t>(run.size), {}); }
  void observe(const ObservedAction& action) override {
    ranks[static_cast<std::size_t>(action.rank)].push_back(
        {.ordinal = action.ordinal,
         .call = trace::mpi_name(action.action),
         .start = action.start,
         .end = action.end,
         .wait = action.wait,
         .latency = action.latency,
         .bandwidth = action.bandwidth,
         .sent = action.sent,
         .received = {action.received.begin(), action.received.end()}});
  }

  std::vector<std::vector<One>> ranks;

private:
  std::size_t lane_;
};

ReplayOptions options_of(std::uint64_t seed) {
  ReplayOptions options;
  options.budget = static_cast<std::uint32_t>(1 + seed % 7);
  options.sensitivities = seed % 2 == 0;
  if (seed % 3 == 0) options.collectives = CollectiveModel::schedule;
  if (seed % 5 == 0) options.overlap = Overlap::bandwidth_first;
  return options;
}

trace::MemorySource program_of(std::uint64_t seed) {
  return random_program(seed, {.most_ranks = 6,
                               .most_events = 120,
                               .synchronous = seed % 4 == 0 ? 10 : 0,
                               .posted_before = seed % 4 == 0 ? 100 : 0});
}

TEST(Observer, intervals_of_a_rank_are_contiguous_and_end_when_the_rank_ends) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const MemorySource program = program_of(seed);
    IntegerMachine machine(program.run().size, seed, {seed, seed + 1, seed + 2});
    if (seed % 2 == 1) machine.add_rarities();
    ReplayOptions options = options_of(seed);
    const std::size_t lane = seed % 3;
    Kept kept(lane);
    options.observer = &kept;
    Result result;
    try {
      result = replay(program, machine, options);
    } catch (const ReplayProblem&) {
      continue; // synchronous sends may wait for each other
    }
    for (std::size_t rank = 0; rank < kept.ranks.size(); ++rank) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", rank " + std::to_string(rank));
      double end = 0;
      double wait = 0;
      double latency = 0;
      std::uint64_t ordinal = 0;
      for (const Kept::One& one : kept.ranks[rank]) {
        ASSERT_EQ(one.ordinal, ordinal++);
        ASSERT_TRUE(same_bits(one.start, end)) << one.call << " starts at " << one.start << " after " << end;
        ASSERT_GE(one.end, one.start) << one.call;
        end = one.end;
        wait += one.wait;
        latency += one.latency;
      }
      const RankTimes& times = result.lanes[lane].ranks[rank];
      ASSERT_TRUE(same_bits(end, times.end)) << end << ", " << times.end;
      ASSERT_EQ(wait, times.wait);
      ASSERT_EQ(latency, times.latency);
    }
  }
}

TEST(Observer, changes_no_bit_of_the_result) {
  for (std::uint64_t seed = 200; seed < 260; ++seed) {
    const MemorySource program = random_program(seed);
    const Network machine = fractional_machine(program.run().size, {0, 1, 2});
    const auto replayed = [&](Observer* observer) {
      const Network network = machine;
      ReplayOptions options;
      options.observer = observer;
      return replay(program, network, options);
    };
    Kept kept(1);
    const Result with = replayed(&kept);
    const Result without = replayed(nullptr);
    for (std::size_t lane = 0; lane < without.lanes.size(); ++lane) {
      ASSERT_TRUE(same_bits(with.lanes[lane].makespan, without.lanes[lane].makespan)) << "seed " << seed;
      for (std::size_t rank = 0; rank < without.lanes[lane].ranks.size(); ++rank)
        ASSERT_TRUE(same_bits(with.lanes[lane].ranks[rank], without.lanes[lane].ranks[rank])) << "seed " << seed;
    }
  }
}

TEST(Observer, sees_the_same_whatever_the_order_of_turns) {
  for (std::uint64_t seed = 300; seed < 330; ++seed) {
    const MemorySource program = random_program(seed);
    const auto seen = [&](std::uint32_t budget) {
      IntegerMachine machine(program.run().size, seed, {seed});
      Kept kept(0);
      ReplayOptions options;
      options.budget = budget;
      options.observer = &kept;
      replay(program, machine, options);
      return kept.ranks;
    };
    ASSERT_TRUE(seen(1) == seen(1000)) << "seed " << seed;
  }
}

TEST(Observer, sees_the_same_whichever_thread_replays_its_lane) {
  const MemorySource program = random_program(5, {.most_ranks = 6, .most_events = 400});
  std::vector<std::uint64_t> seeds(40);
  for (std::size_t lane = 0; lane < seeds.size(); ++lane)
    seeds[lane] = lane;
  for (const std::size_t lane : {0U, 7U, 8U, 39U}) {
    const auto seen = [&](std::uint32_t threads) {
      IntegerMachine machine(program.run().size, 5, seeds);
      Kept kept(lane);
      ReplayOptions options;
      options.threads = threads;
      options.observer = &kept;
      replay(program, machine, options);
      return kept.ranks;
    };
    EXPECT_TRUE(seen(1) == seen(4)) << "lane " << lane;
  }
}

TEST(Observer, each_message_that_was_taken_had_been_sent_and_is_taken_once) {
  std::size_t messages = 0;
  for (std::uint64_t seed = 400; seed < 500; ++seed) {
    const MemorySource program = random_program(seed);
    IntegerMachine machine(program.run().size, seed, {seed});
    Kept kept(0);
    ReplayOptions options;
    options.observer = &kept;
    replay(program, machine, options);
    std::map<std::uint64_t, double> sent;
    for (const auto& rank : kept.ranks)
      for (const Kept::One& one : rank)
        if (one.sent != 0) {
          ASSERT_TRUE(sent.emplace(one.sent, one.start).second) << "seed " << seed;
        }
    std::set<std::uint64_t> taken;
    for (const auto& rank : kept.ranks)
      for (const Kept::One& one : rank)
        for (const std::uint64_t message : one.received) {
          ASSERT_TRUE(sent.contains(message)) << "seed " << seed << ", " << one.call;
          ASSERT_LE(sent[message], one.end);
          ASSERT_TRUE(taken.insert(message).second) << "seed " << seed << ", " << one.call;
        }
    messages += taken.size();
  }
  EXPECT_GT(messages, 500U);
}

} // namespace
} // namespace timeless::replay::test::observer_test
