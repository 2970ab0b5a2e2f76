#include "machines.h"
#include "random_program.h"
#include "scalar_replay.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <numeric>

namespace timeless::replay::test::rendezvous_test {
namespace {

using trace::ActionKind;
using trace::MemorySource;

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
          .most_events = static_cast<std::uint32_t>(seed % 50 == 0 ? 600 : 10 + seed % 60),
          .synchronous = seed % 4 == 0 ? 3 : 0,
          .posted_before = posted_before[seed % 6]};
}

/// Random programs on lanes with different eager limits: the same lanes end, and at the same times, as one by one.
Counts compare_with_scalar_replay(std::uint64_t first_seed, std::uint64_t cases) {
  constexpr std::size_t lanes = 6;
  Counts counts;
  for (std::uint64_t seed = first_seed; seed < first_seed + cases; ++seed) {
    const MemorySource program = random_program(seed, some_limits(seed));
    LimitedMachine machine(program.run().size, seed, {seed, seed + 1, seed + 2, seed + 3, seed + 4, seed + 5},
                           some_eager_limits(seed, lanes));
    if (seed % 4 == 1) machine.add_rarities();
    machine.depart_late(some_late_departures(seed));
    ReplayOptions options;
    options.overlap = seed % 5 == 0 ? Overlap::bandwidth_first : Overlap::latency_first;
    options.budget = static_cast<std::uint32_t>(1 + seed % 7);
    options.sensitivities = seed % 2 == 0;
    if (seed % 7 < 4) options.collectives = CollectiveModel::schedule;
    if (seed % 11 == 0) options.ports = Ports::receiver;
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

// ---- by hand: a = 2 s, b = 1 s/B, messages of 4 B; so 2 + 4 = 6 s when eager, and 6 + 4 = 10 s with a handshake.

Result replay_by_hand(const MemorySource& program, const std::vector<Bytes>& limits,
                      const ReplayOptions& options = {}) {
  const std::vector<FlatCosts> costs(limits.size(), {.latency = 2, .byte_time = 1});
  return replay(program, with_eager_limits(flat_machine(program.run().size, costs), limits), options);
}

trace::Action send_to(Rank peer, trace::RequestId request = trace::no_request) {
  return {.kind = ActionKind::send, .peer = peer, .bytes = 4, .request = request};
}

trace::Action receive_from(Rank peer, trace::RequestId request = trace::no_request) {
  return {.kind = ActionKind::receive, .peer = peer, .bytes = 4, .request = request};
}

trace::Action wait_for(const trace::RequestId& request) {
  return {.kind = ActionKind::wait, .requests = {&request, 1}};
}

constexpr std::array<trace::RequestId, 2> requests{0, 1};

MemorySource late_receive() {
  MemorySource program(2);
  program.compute(0, 3);
  program.add(0, send_to(1));
  program.compute(1, 10);
  program.add(1, receive_from(0));
  program.finalize();
  return program;
}

TEST(Rendezvous, both_leave_when_the_message_has_arrived_that_set_off_when_both_had_come) {
  const Result result = replay_by_hand(late_receive(), {4, 3});
  EXPECT_EQ(ends(result.lanes[0]), (std::vector<double>{3, 10}));
  EXPECT_EQ(ends(result.lanes[1]), (std::vector<double>{20, 20}));
  const RankTimes& sender = result.lanes[1].ranks[0];
  EXPECT_EQ(sender.wait, 7);
  EXPECT_EQ(sender.latency, 6);
  EXPECT_EQ(sender.bandwidth, 4);
  const RankTimes& receiver = result.lanes[1].ranks[1];
  EXPECT_EQ(receiver.wait, 0);
  EXPECT_EQ(receiver.latency, 6);
  EXPECT_EQ(receiver.bandwidth, 4);
}

TEST(Rendezvous, the_handshake_and_the_limit_of_the_options_hold_for_all_lanes) {
  ReplayOptions options;
  options.handshake = 0.5;
  EXPECT_EQ(ends(replay_by_hand(late_receive(), {3}, options).lanes[0]), (std::vector<double>{17, 17}));
  options.eager_limit = no_eager_limit;
  EXPECT_EQ(ends(replay_by_hand(late_receive(), {3}, options).lanes[0]), (std::vector<double>{3, 10}));
  options.eager_limit = 0;
  EXPECT_EQ(ends(replay_by_hand(late_receive(), {4}, options).lanes[0]), (std::vector<double>{17, 17}));
  options.handshake = -1;
  EXPECT_THROW(replay_by_hand(late_receive(), {4}, options), Error);
}

TEST(Rendezvous, computation_hides_a_nonblocking_send) {
  MemorySource program(2);
  program.add(0, send_to(1, 0));
  program.compute(0, 7);
  program.add(0, wait_for(requests[0]));
  program.compute(1, 1);
  program.add(1, receive_from(0));
  program.finalize();
  const Result result = replay_by_hand(program, {0});
  // It sets off at 1, its handshake and latency end at 7, its bytes at 11.
  const RankTimes& sender = result.lanes[0].ranks[0];
  EXPECT_EQ(sender.end, 11);
  EXPECT_EQ(sender.wait + sender.latency, 0);
  EXPECT_EQ(sender.bandwidth, 4);
}

TEST(Rendezvous, the_two_halves_of_an_exchange_run_at_once) {
  MemorySource program(2);
  for (const Rank rank : {0, 1}) {
    program.compute(rank, rank == 0 ? 5 : 8);
    program.add(rank, {.kind = ActionKind::exchange, .peer = 1 - rank, .bytes = 4, .receive_peer = 1 - rank});
  }
  program.finalize();
  EXPECT_EQ(ends(replay_by_hand(program, {0}).lanes[0]), (std::vector<double>{18, 18}));
}

TEST(Rendezvous, an_exchange_with_itself_does_not_wait_for_itself) {
  MemorySource program(1);
  program.add(0, {.kind = ActionKind::exchange, .peer = 0, .bytes = 4, .receive_peer = 0});
  program.finalize();
  EXPECT_EQ(ends(replay_by_hand(program, {0}).lanes[0]), (std::vector<double>{10}));
}

MemorySource late_receive_in_mode(trace::SendMode mode) {
  MemorySource program(2);
  trace::Action send = send_to(1);
  send.mode = mode;
  program.add(0, send);
  program.compute(1, 10);
  program.add(1, receive_from(0));
  program.finalize();
  return program;
}

TEST(Rendezvous, synchronous_sends_wait_even_where_no_lane_has_a_limit) {
  const Result result = replay_by_hand(late_receive_in_mode(trace::SendMode::synchronous), {no_eager_limit});
  EXPECT_EQ(ends(result.lanes[0]), (std::vector<double>{20, 20}));
}

TEST(Rendezvous, buffered_sends_never_wait_and_ready_ones_do) {
  EXPECT_EQ(ends(replay_by_hand(late_receive_in_mode(trace::SendMode::buffered), {0}).lanes[0]),
            (std::vector<double>{0, 10}));
  EXPECT_EQ(ends(replay_by_hand(late_receive_in_mode(trace::SendMode::ready), {0}).lanes[0]),
            (std::vector<double>{20, 20}));
}

TEST(Rendezvous, a_probe_sees_the_envelope_of_a_message_that_waits) {
  MemorySource program(2);
  program.add(0, send_to(1));
  program.add(1, {.kind = ActionKind::probe, .peer = 0, .bytes = 4});
  program.compute(1, 1);
  program.add(1, receive_from(0));
  program.finalize();
  // Seen at 2, received from 3 on.
  EXPECT_EQ(ends(replay_by_hand(program, {0}).lanes[0]), (std::vector<double>{13, 13}));
}

TEST(Rendezvous, a_receive_that_is_cancelled_lets_no_sender_go) {
  MemorySource program(2);
  program.add(0, send_to(1));
  program.add(1, receive_from(0, 0));
  program.compute(1, 5);
  program.add(1, {.kind = ActionKind::cancelled, .request = 0});
  program.add(1, wait_for(requests[0]));
  program.add(1, receive_from(0));
  program.finalize();
  EXPECT_EQ(ends(replay_by_hand(program, {0}).lanes[0]), (std::vector<double>{15, 15}));
}

TEST(Rendezvous, a_send_that_is_cancelled_is_met_by_no_receive) {
  MemorySource program(2);
  program.add(0, send_to(1, 0));
  program.add(0, {.kind = ActionKind::cancelled, .request = 0});
  program.add(0, wait_for(requests[0]));
  program.compute(0, 5);
  program.add(0, send_to(1));
  program.add(1, receive_from(0));
  program.finalize();
  EXPECT_EQ(ends(replay_by_hand(program, {0}).lanes[0]), (std::vector<double>{15, 15}));
}

TEST(Rendezvous, a_receive_from_anyone_counts_from_its_posting_not_from_when_its_source_was_learnt) {
  MemorySource program(2);
  program.add(0, send_to(1));
  program.compute(1, 1);
  program.add(1, receive_from(trace::any_rank, 0));
  program.compute(1, 20);
  program.add(1, {.kind = ActionKind::resolved, .peer = 0, .bytes = 4, .request = 0});
  program.add(1, wait_for(requests[0]));
  program.finalize();
  EXPECT_EQ(ends(replay_by_hand(program, {0}).lanes[0]), (std::vector<double>{11, 21}));
}

TEST(Rendezvous, a_receive_from_anyone_lets_its_sender_go_on_before_its_source_is_learnt) {
  MemorySource program(2);
  program.add(0, send_to(1));
  program.add(0, {.kind = ActionKind::send, .peer = 1, .tag = 5, .bytes = 4});
  program.add(1, receive_from(trace::any_rank, 0));
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .tag = 5, .bytes = 4});
  program.add(1, {.kind = ActionKind::resolved, .peer = 0, .bytes = 4, .request = 0});
  program.add(1, wait_for(requests[0]));
  program.finalize();
  EXPECT_EQ(ends(replay_by_hand(program, {0}).lanes[0]), (std::vector<double>{20, 20}));
}

TEST(Rendezvous, freed_requests_of_both_ends_leave_nobody_waiting) {
  MemorySource program(2);
  program.add(0, send_to(1, 0));
  program.add(0, {.kind = ActionKind::request_free, .request = 0});
  program.compute(1, 2);
  program.add(1, receive_from(0, 0));
  program.add(1, {.kind = ActionKind::request_free, .request = 0});
  program.add(0, send_to(1));
  program.add(1, receive_from(0));
  program.finalize();
  EXPECT_EQ(ends(replay_by_hand(program, {0}).lanes[0]), (std::vector<double>{12, 12}));
}

// ---- deadlocks

MemorySource head_to_head() {
  MemorySource program(3);
  for (const Rank rank : {0, 1}) {
    program.add(rank, send_to(1 - rank));
    program.add(rank, receive_from(1 - rank));
  }
  for (const Rank rank : {0, 1, 2})
    program.add(rank, {.kind = ActionKind::barrier});
  program.finalize();
  return program;
}

TEST(Rendezvous, a_lane_in_a_deadlock_says_who_waits_for_whom_while_the_others_end) {
  const Result result = replay_by_hand(head_to_head(), {4, 3, no_eager_limit});
  for (const std::size_t lane : {0U, 2U}) {
    EXPECT_EQ(result.lanes[lane].deadlock, nullptr);
    EXPECT_EQ(result.lanes[lane].ranks.size(), 3U);
  }
  const LaneResult& stuck = result.lanes[1];
  ASSERT_NE(stuck.deadlock, nullptr);
  EXPECT_TRUE(stuck.ranks.empty());
  EXPECT_EQ(stuck.makespan, std::numeric_limits<double>::infinity());
  const Diagnosis& why = *stuck.deadlock;
  ASSERT_EQ(why.blocked.size(), 3U);
  EXPECT_TRUE(why.blocked[0].sends);
  EXPECT_EQ(why.blocked[0].peer, 1);
  EXPECT_EQ(why.blocked[0].bytes, 4U);
  EXPECT_EQ(why.blocked[0].action, 0U);
  EXPECT_EQ(why.blocked[2].missing, (std::vector<Rank>{0, 1}));
  EXPECT_EQ(why.cycle.size(), 2U);
  EXPECT_EQ(text(why), "3 ranks cannot go on: a deadlock\n"
                       "  rank 0, action 0: Send waits for rank 1 to receive its message of 4 bytes, tag 0, "
                       "communicator 0\n"
                       "  rank 1, action 0: Send waits for rank 0 to receive its message of 4 bytes, tag 0, "
                       "communicator 0\n"
                       "  rank 2, action 0: Barrier waits for ranks 0, 1 to reach Barrier on communicator 0\n"
                       "  they wait in a circle: 0 -> 1 -> 0\n"
                       "  messages of more than 3 bytes wait here for their receives");
}

TEST(Rendezvous, when_all_lanes_are_in_a_deadlock_the_replay_says_so) {
  try {
    replay_by_hand(head_to_head(), {3, 0});
    FAIL() << "two ranks that send to each other first";
  } catch (const ReplayProblem& problem) {
    EXPECT_EQ(problem.diagnosis().blocked.size(), 3U);
    EXPECT_EQ(problem.diagnosis().remarks.size(), 1U);
  }
}

TEST(Rendezvous, a_message_that_nobody_receives_is_an_error_whatever_the_limits) {
  MemorySource program(2);
  program.add(0, send_to(1, 0));
  program.finalize();
  EXPECT_THROW(replay_by_hand(program, {0}), ReplayProblem);
}

// ---- what lanes do to each other: nothing

/// Costs with fractions, so that any other order of sums would show.
Network limited_fractional_machine(Rank ranks, std::span<const std::size_t> lanes) {
  constexpr std::array<Bytes, 4> choice{no_eager_limit, 64, 0, 4096};
  std::vector<Bytes> limits;
  for (const std::size_t lane : lanes)
    limits.push_back(choice[lane % 4]);
  return with_eager_limits(fractional_machine(ranks, {lanes.begin(), lanes.end()}), limits);
}

/// Either all lanes' results, or none, when all are in a deadlock.
std::vector<LaneResult> lanes_of(const MemorySource& program, std::span<const std::size_t> lanes) {
  const Network machine = limited_fractional_machine(program.run().size, lanes);
  ReplayOptions options;
  options.sensitivities = true;
  try {
    return replay(program, machine, options).lanes;
  } catch (const ReplayProblem&) {
    return {};
  }
}

TEST(Rendezvous, lanes_with_and_without_limits_do_not_change_a_bit_of_each_other) {
  std::uint64_t ended = 0;
  std::uint64_t stuck = 0;
  std::vector<std::size_t> all(20);
  std::iota(all.begin(), all.end(), 0U);
  for (std::uint64_t seed = 700; seed < 800; ++seed) {
    const MemorySource program =
        random_program(seed, {.most_ranks = 6, .most_events = 300, .posted_before = seed % 2 == 0 ? 100 : 98});
    const std::vector<LaneResult> together = lanes_of(program, all);
    for (const std::size_t lane : all) {
      const std::vector<LaneResult> alone = lanes_of(program, {&lane, 1});
      ++(alone.empty() ? stuck : ended);
      ASSERT_EQ(alone.empty(), together.empty() || together[lane].deadlock) << "seed " << seed << ", lane " << lane;
      if (alone.empty()) continue;
      const auto& left = alone[0];
      const auto& right = together[lane];
      ASSERT_EQ(left.ranks.size(), right.ranks.size());
      ASSERT_EQ(std::memcmp(left.ranks.data(), right.ranks.data(), left.ranks.size() * sizeof(RankTimes)), 0)
          << "seed " << seed << ", lane " << lane;
      ASSERT_EQ(std::memcmp(left.rank_sensitivities.data(), right.rank_sensitivities.data(),
                            left.rank_sensitivities.size() * sizeof(Sensitivity)),
                0)
          << "seed " << seed << ", lane " << lane;
    }
  }
  EXPECT_GT(ended, 500U);
  EXPECT_GT(stuck, 100U);
}

} // namespace
} // namespace timeless::replay::test::rendezvous_test
