#include "machines.h"
#include "random_program.h"
#include "scalar_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace timeless::replay::test::critical_path_test {
namespace {

using Kind = PathSegment::Kind;
using trace::Action;
using trace::ActionKind;

/// On which the scalar replay's path counts every link, as a traced one does.
struct MachineOfOneSortOfLinks : IntegerMachine {
  MachineOfOneSortOfLinks(Rank ranks, std::uint64_t seed, std::vector<std::uint64_t> lane_seeds)
      : IntegerMachine(ranks, seed, std::move(lane_seeds)) {
    for_each_class([](LinkClass, ClassCosts& costs) { costs.scales = true; });
  }
};

ReplayOptions tracing() {
  ReplayOptions options;
  options.critical_path = true;
  return options;
}

/// A rank's actions, with the volumes of the computations.
using RankActions = std::vector<std::pair<Action, std::uint64_t>>;

std::vector<RankActions> all_actions(const trace::MemorySource& program) {
  std::vector<RankActions> all;
  for (Rank rank = 0; rank < program.run().size; ++rank) {
    RankActions& actions = all.emplace_back();
    const auto stream = program.open(rank);
    for (trace::ActionBlock block; stream->next(block);)
      trace::for_each_action(block, [&](Action action, std::uint64_t volume) {
        action.requests = {}; // they end with the block
        action.counts = action.receive_counts = {};
        actions.emplace_back(action, volume);
      });
  }
  return all;
}

/// What computations and sends of an action take of the rank's own time, in the only lane.
struct Own {
  double compute = 0;
  double rest = 0; ///< copies and overheads
};

Own own_time(const Network& network, Rank rank, const Action& action, std::uint64_t volume) {
  Own own;
  if (action.kind == ActionKind::compute)
    own.compute = static_cast<double>(volume) * network.seconds_per_unit(rank) * network.lanes[0].compute_scale;
  const bool exchanges = action.kind == ActionKind::exchange || action.kind == ActionKind::exchange_replace;
  if ((action.kind == ActionKind::send || exchanges) && action.peer != trace::no_rank) {
    const bool nonblocking = exchanges || action.request != trace::no_request;
    own.rest = static_cast<double>(action.bytes) * network.lanes[0].memory_copy_byte_time +
               (nonblocking ? network.overheads.nonblocking_send : network.overheads.send)(action.bytes);
  }
  return own;
}

void expect_gapless(const std::vector<PathSegment>& path, double makespan) {
  double time = 0;
  for (const PathSegment& segment : path) {
    ASSERT_EQ(segment.begin, time);
    ASSERT_GT(segment.end, segment.begin);
    time = segment.end;
  }
  ASSERT_EQ(time, makespan);
}

/// All that the segments say, held against the program itself: they chain, what a rank does on its own takes as long as
/// its actions between do, and a message is the one its sender's action sent. A chain of things that each wait for the
/// one before cannot be longer than the makespan; this one is as long.
void expect_explained(const trace::MemorySource& program, const Network& network, const std::vector<PathSegment>& path,
                      std::uint64_t seed) {
  const std::vector<RankActions> actions = all_actions(program);
  Rank at = trace::no_rank;
  for (const PathSegment& segment : path) {
    const auto& of_rank = actions[static_cast<std::size_t>(segment.rank)];
    ASSERT_LT(segment.last_action, of_rank.size()) << "seed " << seed;
    if (segment.kind == Kind::local) {
      ASSERT_TRUE(at == trace::no_rank || segment.rank == at) << "seed " << seed;
      double compute = 0;
      for (std::uint64_t i = segment.first_action; i <= segment.last_action; ++i)
        compute += own_time(network, segment.rank, of_rank[i].first, of_rank[i].second).compute;
      ASSERT_EQ(segment.compute, compute) << "seed " << seed;
    } else {
      const auto& sender = actions[static_cast<std::size_t>(segment.from)];
      ASSERT_LT(segment.first_action, sender.size()) << "seed " << seed;
      ASSERT_TRUE(at == trace::no_rank || segment.from == at) << "seed " << seed;
      ASSERT_EQ(segment.compute, 0) << "seed " << seed;
      const Action& departure = sender[segment.first_action].first;
      const trace::ActionFamily departs_by = family(departure.kind);
      const bool collective =
          departs_by == trace::ActionFamily::collective || departs_by == trace::ActionFamily::communicator;
      ASSERT_EQ(segment.kind == Kind::collective, collective) << "seed " << seed;
      ASSERT_TRUE(collective || departs_by == trace::ActionFamily::point_to_point) << "seed " << seed;
      ASSERT_GE(segment.end - segment.begin, segment.latency + segment.bandwidth) << "seed " << seed;
    }
    at = segment.rank;
  }
}

TEST(CriticalPath, of_random_programs_is_as_long_as_the_makespan_and_made_of_what_the_trace_holds) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const trace::MemorySource program = random_program(seed, {.most_ranks = 5, .most_events = 40});
    MachineOfOneSortOfLinks machine(program.run().size, seed, {seed});
    ReplayOptions options = tracing();
    options.budget = static_cast<std::uint32_t>(1 + seed % 7);
    options.overlap = seed % 3 == 0 ? Overlap::bandwidth_first : Overlap::latency_first;
    const Result result = replay(program, machine, options);
    expect_gapless(result.critical_path, result.lanes[0].makespan);
    expect_explained(program, machine, result.critical_path, seed);
    if (HasFatalFailure()) return;
    // The scalar replay carries its own path's parts.
    const auto scalar = scalar_replay(program, machine, 0, options);
    const auto last = std::ranges::max_element(scalar, {}, [](const ScalarTimes& times) { return times.end; });
    double compute = 0;
    double latency = 0;
    double bandwidth = 0;
    for (const PathSegment& segment : result.critical_path) {
      compute += segment.compute;
      latency += segment.latency;
      bandwidth += segment.bandwidth;
    }
    ASSERT_EQ(compute, last->path.compute) << "seed " << seed;
    ASSERT_EQ(latency, last->path.latency) << "seed " << seed;
    ASSERT_EQ(bandwidth, last->path.bandwidth) << "seed " << seed;
  }
}

TEST(CriticalPath, tracing_changes_no_bit_and_neither_does_the_order_of_turns_change_the_path) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const trace::MemorySource program = random_program(seed, {.most_ranks = 6, .most_events = 300});
    IntegerMachine machine(program.run().size, seed, {seed});
    const Result plain = replay(program, machine);
    std::vector<PathSegment> first;
    for (const std::uint32_t budget : {1U, 3U, 1000U}) {
      ReplayOptions options = tracing();
      options.budget = budget;
      const Result traced = replay(program, machine, options);
      ASSERT_EQ(traced.lanes[0].makespan, plain.lanes[0].makespan);
      for (std::size_t rank = 0; rank < plain.lanes[0].ranks.size(); ++rank)
        for (double RankTimes::*const counter : rank_counters)
          ASSERT_EQ(traced.lanes[0].ranks[rank].*counter, plain.lanes[0].ranks[rank].*counter);
      if (first.empty()) first = traced.critical_path;
      ASSERT_EQ(traced.critical_path.size(), first.size()) << "seed " << seed;
      for (std::size_t i = 0; i < first.size(); ++i) {
        ASSERT_EQ(traced.critical_path[i].rank, first[i].rank) << "seed " << seed;
        ASSERT_EQ(traced.critical_path[i].last_action, first[i].last_action) << "seed " << seed;
      }
    }
  }
}

/// Returns a machine of 5 us and 1 ns a byte, on which a unit of volume takes 1 ns and nothing is copied.
Network microsecond_machine(Rank ranks) {
  return hockney_network({{.name = "", .between_nodes = {5e-6, 1e-9}, .within_node = {}}},
                         one_rank_per_node(ranks, 1e-9));
}

TEST(CriticalPath, of_a_line_of_ranks_goes_through_every_message) {
  trace::MemorySource program(3);
  for (Rank rank = 0; rank < 3; ++rank) {
    if (rank > 0) program.add(rank, {.kind = ActionKind::receive, .peer = rank - 1, .bytes = 1000});
    program.compute(rank, 10000);
    if (rank < 2) program.add(rank, {.kind = ActionKind::send, .peer = rank + 1, .bytes = 1000});
  }
  program.finalize();
  const Network machine = microsecond_machine(3);
  const Result result = replay(program, machine, tracing());
  const std::vector<PathSegment>& path = result.critical_path;
  ASSERT_EQ(path.size(), 5U);
  const Kind kinds[] = {Kind::local, Kind::message, Kind::local, Kind::message, Kind::local};
  const Rank ranks[] = {0, 1, 1, 2, 2};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(path[i].kind, kinds[i]);
    EXPECT_EQ(path[i].rank, ranks[i]);
    EXPECT_NEAR(path[i].end - path[i].begin, path[i].kind == Kind::local ? 10e-6 : 6e-6, 1e-15);
  }
  EXPECT_EQ(path[3].from, 1);
  EXPECT_EQ(path[3].first_action, 2U);
  EXPECT_EQ(path[3].last_action, 0U);
  EXPECT_NEAR(path[3].latency, 5e-6, 1e-15);
  EXPECT_NEAR(path[3].bandwidth, 1e-6, 1e-15);
  EXPECT_NEAR(path[4].compute, 10e-6, 1e-15);
}

TEST(CriticalPath, of_a_collective_comes_from_whoever_came_last) {
  trace::MemorySource program(4);
  for (Rank rank = 0; rank < 4; ++rank) {
    program.compute(rank, rank == 2 ? 30000 : 10000);
    program.add(rank, {.kind = ActionKind::barrier});
    program.compute(rank, rank == 1 ? 20000 : 5000);
  }
  program.finalize();
  const Network machine = microsecond_machine(4);
  const std::vector<PathSegment> path = replay(program, machine, tracing()).critical_path;
  ASSERT_EQ(path.size(), 3U);
  EXPECT_EQ(path[0].rank, 2);
  EXPECT_EQ(path[1].kind, Kind::collective);
  EXPECT_EQ(path[1].from, 2);
  EXPECT_EQ(path[1].rank, 1);
  EXPECT_NEAR(path[1].latency, 10e-6, 1e-15);
  EXPECT_EQ(path[2].rank, 1);
  EXPECT_NEAR(path[2].compute, 20e-6, 1e-15);
}

TEST(CriticalPath, of_the_rank_that_came_last_shows_its_collective_too) {
  trace::MemorySource program(2);
  for (Rank rank = 0; rank < 2; ++rank) {
    program.compute(rank, rank == 0 ? 30000 : 10000);
    program.add(rank, {.kind = ActionKind::barrier});
  }
  program.finalize();
  const Network machine = microsecond_machine(2);
  const std::vector<PathSegment> path = replay(program, machine, tracing()).critical_path;
  ASSERT_EQ(path.size(), 2U);
  EXPECT_EQ(path[1].kind, Kind::collective);
  EXPECT_EQ(path[1].from, 0);
  EXPECT_EQ(path[1].rank, 0);
}

TEST(CriticalPath, a_path_too_long_to_keep_forgets_its_beginning_but_not_its_sums) {
  trace::MemorySource program(2, 64);
  constexpr int rounds = 200000;
  for (int round = 0; round < rounds; ++round)
    for (Rank rank = 0; rank < 2; ++rank) {
      const bool sends = (round + rank) % 2 == 0;
      if (sends) {
        program.compute(rank, 1000);
        program.add(rank, {.kind = ActionKind::send, .peer = 1 - rank, .bytes = 1000});
      } else {
        program.add(rank, {.kind = ActionKind::receive, .peer = 1 - rank, .bytes = 1000});
      }
    }
  program.finalize();
  const Network machine = microsecond_machine(2);
  ReplayOptions little = tracing();
  little.path_bytes = 1U << 20U;
  const Result result = replay(program, machine, little);
  expect_gapless(result.critical_path, result.lanes[0].makespan);
  ASSERT_EQ(result.critical_path.front().kind, Kind::forgotten);
  EXPECT_LT(result.critical_path.size(), 100000U);
  double latency = 0;
  for (const PathSegment& segment : result.critical_path)
    latency += segment.latency;
  EXPECT_NEAR(latency, rounds * 5e-6, 1e-6);
  const Result whole = replay(program, machine, tracing());
  EXPECT_EQ(whole.critical_path.size(), 2U * rounds);
  EXPECT_EQ(whole.lanes[0].makespan, result.lanes[0].makespan);
}

TEST(CriticalPath, is_of_one_configuration) {
  trace::MemorySource program(2);
  program.finalize();
  const Network machine = hockney_network({{.name = "", .between_nodes = {5e-6, 1e-9}, .within_node = {}},
                                           {.name = "", .between_nodes = {5e-6, 1e-9}, .within_node = {}}},
                                          one_rank_per_node(2, 1e-9));
  EXPECT_THROW(replay(program, machine, tracing()), Error);
}

} // namespace
} // namespace timeless::replay::test::critical_path_test
