#include "tests/smpi/flat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

namespace timeless::replay {
namespace {

using trace::Action;
using trace::ActionKind;
using trace::Bytes;
using trace::MemorySource;
using trace::RequestId;

/// Point-to-point programs without deadlock: messages are chosen one after the other, and every rank sends and receives
/// its own in that order, blocking or not, with computation between and completions now and then.
class RandomProgram {
public:
  explicit RandomProgram(unsigned seed) : random_(seed), program_(pick(2, 9)) {}

  MemorySource make() {
    const auto ranks = static_cast<std::size_t>(program_.run().size);
    open_.resize(ranks);
    const int messages = pick(10, 150);
    for (int i = 0; i < messages; ++i)
      add_message();
    for (std::size_t rank = 0; rank < ranks; ++rank)
      complete(static_cast<Rank>(rank), open_[rank].size());
    program_.finalize();
    return std::move(program_);
  }

private:
  int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  void add_message() {
    const Rank from = pick(0, program_.run().size - 1);
    const Rank to = pick(0, program_.run().size - 1);
    const auto bytes = static_cast<Bytes>(pick(0, 3) == 0 ? pick(0, 2'000'000) : pick(0, 3000));
    const trace::Tag tag = pick(0, 2);
    half({.kind = ActionKind::send, .peer = to, .tag = tag, .bytes = bytes}, from);
    half({.kind = ActionKind::receive, .peer = from, .tag = tag, .bytes = bytes}, to);
  }

  void half(Action action, Rank rank) {
    auto& open = open_[static_cast<std::size_t>(rank)];
    if (pick(0, 2) == 0) program_.compute(rank, static_cast<std::uint64_t>(pick(0, 100'000)));
    if (pick(0, 1) == 0) {
      action.request = free_request(open);
      if (pick(0, 4) == 0) action.flags = trace::flag_persistent;
      open.push_back(action.request);
    }
    program_.add(rank, action);
    if (!open.empty() && pick(0, 5) == 0)
      complete(rank, static_cast<std::size_t>(pick(1, static_cast<int>(open.size()))));
  }

  static RequestId free_request(const std::vector<RequestId>& open) {
    RequestId id = 0;
    while (std::ranges::find(open, id) != open.end())
      ++id;
    return id;
  }

  void complete(Rank rank, std::size_t count) {
    auto& open = open_[static_cast<std::size_t>(rank)];
    if (count == 0) return;
    const std::vector<RequestId> chosen(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(count));
    open.erase(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(count));
    constexpr std::array kinds{ActionKind::wait_all, ActionKind::wait_some, ActionKind::test_all,
                               ActionKind::test_some};
    program_.add(rank, {.kind = kinds[static_cast<std::size_t>(pick(0, 3))], .requests = chosen});
  }

  std::mt19937 random_;
  MemorySource program_;
  std::vector<std::vector<RequestId>> open_;
};

class PointToPointProgram : public testing::TestWithParam<unsigned> {};

TEST_P(PointToPointProgram, ends_in_the_model_when_it_ends_in_SMPI) {
  expect_equal_ends(RandomProgram(GetParam()).make());
}

TEST_P(PointToPointProgram, ends_at_the_same_time_with_ranks_sharing_hosts) {
  const MemorySource program = RandomProgram(GetParam()).make();
  std::vector<std::uint32_t> hosts;
  for (Rank rank = 0; rank < program.run().size; ++rank)
    hosts.push_back(static_cast<std::uint32_t>(rank) / 3);
  expect_equal_ends(program, placed(hosts));
}

INSTANTIATE_TEST_SUITE_P(random, PointToPointProgram, testing::Range(1U, 41U));

TEST(Message, takes_latency_then_bytes_over_bandwidth) {
  EXPECT_NEAR(smpi_ends(one_message(1'000'000))[1], message(1'000'000), 1e-15);
}

TEST(Message, received_late_costs_nothing_more) {
  MemorySource program(2);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 1'000'000});
  program.compute(1, 3'000'000);
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 1'000'000});
  program.finalize();
  EXPECT_THAT(smpi_ends(program), testing::ElementsAre(0, testing::DoubleNear(3e-3, 1e-15)));
}

TEST(Message, of_more_than_2_GiB_keeps_its_size) {
  for (const Bytes bytes : {Bytes{3} << 30U, Bytes{20} << 30U}) {
    const std::vector<double> ends = smpi_ends(one_message(bytes));
    EXPECT_NEAR(ends[1] / message(bytes), 1, 1e-8);
    EXPECT_EQ(ends[0], ends[1]) << "its sender waits for it";
  }
}

TEST(Message, synchronous_keeps_its_sender) {
  for (const RequestId request : {trace::no_request, RequestId{3}}) {
    MemorySource program(2);
    program.add(
        0, {.kind = ActionKind::send, .mode = trace::SendMode::synchronous, .peer = 1, .bytes = 8, .request = request});
    if (request != trace::no_request) program.add(0, {.kind = ActionKind::wait, .requests = {&request, 1}});
    program.compute(1, 1'000'000);
    program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 8});
    program.finalize();
    EXPECT_NEAR(smpi_ends(program)[0], 1e-3 + message(8), 1e-12);
  }
}

TEST(Message, buffered_or_ready_does_not_keep_its_sender) {
  for (const trace::SendMode mode : {trace::SendMode::buffered, trace::SendMode::ready}) {
    MemorySource program(2);
    program.add(0, {.kind = ActionKind::send, .mode = mode, .peer = 1, .bytes = 1'000'000});
    program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 1'000'000});
    program.finalize();
    EXPECT_THAT(smpi_ends(program), testing::ElementsAre(0, testing::DoubleNear(message(1'000'000), 1e-12)));
  }
}

TEST(Message, to_or_from_MPI_PROC_NULL_is_none) {
  MemorySource program(1);
  const RequestId request = 0;
  program.add(0, {.kind = ActionKind::send, .peer = trace::no_rank, .bytes = 8});
  program.add(0, {.kind = ActionKind::receive, .peer = trace::no_rank, .bytes = 8, .request = request});
  program.add(0, {.kind = ActionKind::wait, .requests = {&request, 1}});
  program.finalize();
  EXPECT_EQ(smpi_ends(program)[0], 0);
}

TEST(Exchange, sends_and_receives_at_once) {
  MemorySource program(3);
  for (Rank rank = 0; rank < 3; ++rank)
    program.add(rank, {.kind = rank == 1 ? ActionKind::exchange_replace : ActionKind::exchange,
                       .peer = (rank + 1) % 3,
                       .tag = 4,
                       .bytes = 5000,
                       .receive_peer = (rank + 2) % 3,
                       .receive_tag = 4,
                       .receive_bytes = 5000});
  program.finalize();
  EXPECT_THAT(smpi_ends(program), testing::Each(testing::DoubleNear(message(5000), 1e-12)));
  expect_equal_ends(program);
}

TEST(Exchange, with_a_half_to_MPI_PROC_NULL_is_a_send) {
  MemorySource program(2);
  program.add(0, {.kind = ActionKind::exchange, .peer = 1, .bytes = 5000});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 5000});
  program.finalize();
  EXPECT_THAT(smpi_ends(program), testing::ElementsAre(0, testing::DoubleNear(message(5000), 1e-12)));
}

TEST(Probe, waits_for_its_message_which_is_then_there) {
  for (const ActionKind kind : {ActionKind::probe, ActionKind::poll}) {
    MemorySource program(2);
    program.compute(0, 500'000);
    program.add(0, {.kind = ActionKind::send, .peer = 1, .tag = 7, .bytes = 1'000'000});
    program.add(1, {.kind = kind, .peer = 0, .tag = 7, .bytes = 1'000'000});
    program.add(1, {.kind = kind, .peer = 0, .tag = 7, .bytes = 1'000'000});
    program.compute(1, 100'000);
    program.add(1, {.kind = ActionKind::receive, .peer = 0, .tag = 7, .bytes = 1'000'000});
    program.finalize();
    EXPECT_NEAR(smpi_ends(program)[1], 0.5e-3 + message(1'000'000) + 0.1e-3, 1e-12);
  }
}

TEST(Probe, followed_by_its_receive_costs_nothing_in_either_model) {
  MemorySource program(2);
  program.compute(0, 500'000);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 1'000'000});
  program.add(1, {.kind = ActionKind::probe, .peer = 0, .bytes = 1'000'000});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 1'000'000});
  program.finalize();
  expect_equal_ends(program);
}

TEST(Probe, matched_twice_takes_two_messages) {
  MemorySource program(2);
  for (int i = 0; i < 2; ++i) {
    program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 100});
    program.compute(0, 1'000'000);
    program.add(1, {.kind = ActionKind::probe, .flags = trace::flag_matched, .peer = 0, .bytes = 100});
  }
  for (int i = 0; i < 2; ++i)
    program.add(1, {.kind = ActionKind::receive, .flags = trace::flag_matched, .peer = 0, .bytes = 100});
  program.finalize();
  EXPECT_NEAR(smpi_ends(program)[1], 1e-3 + message(100), 1e-12);
}

TEST(Request, persistent_is_started_and_completed_again_and_again) {
  MemorySource program(2);
  const RequestId request = 5;
  for (int i = 0; i < 3; ++i) {
    for (const Rank rank : {0, 1}) {
      program.add(rank, {.kind = rank == 0 ? ActionKind::send : ActionKind::receive,
                         .flags = trace::flag_persistent,
                         .peer = 1 - rank,
                         .bytes = 1000,
                         .request = request});
      program.compute(rank, 1'000'000);
      program.add(rank, {.kind = ActionKind::wait, .requests = {&request, 1}});
    }
  }
  for (const Rank rank : {0, 1})
    program.add(rank, {.kind = ActionKind::request_free, .request = request});
  program.finalize();
  EXPECT_THAT(smpi_ends(program), testing::Each(testing::DoubleNear(3e-3, 1e-12)));
}

TEST(Request, cancelled_receive_takes_no_message) {
  MemorySource program(2);
  const RequestId request = 0;
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 100, .request = request});
  program.add(1, {.kind = ActionKind::cancelled, .request = request});
  program.add(1, {.kind = ActionKind::wait, .requests = {&request, 1}});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 100});
  program.compute(0, 1'000'000);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 100});
  program.finalize();
  EXPECT_NEAR(smpi_ends(program)[1], 1e-3 + message(100), 1e-12);
}

TEST(Request, receive_from_anyone_takes_what_it_was_later_seen_to_have_taken) {
  MemorySource program(3);
  const RequestId request = 0;
  program.add(
      0,
      {.kind = ActionKind::receive, .peer = trace::any_rank, .tag = trace::any_tag, .bytes = 100, .request = request});
  program.add(0, {.kind = ActionKind::resolved, .peer = 2, .tag = 9, .bytes = 100, .request = request});
  program.add(0, {.kind = ActionKind::wait, .requests = {&request, 1}});
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .tag = 9, .bytes = 100});
  program.add(1, {.kind = ActionKind::send, .peer = 0, .tag = 9, .bytes = 100});
  program.compute(2, 1'000'000);
  program.add(2, {.kind = ActionKind::send, .peer = 0, .tag = 9, .bytes = 100});
  program.finalize();
  EXPECT_NEAR(smpi_ends(program)[0], 1e-3 + message(100), 1e-12);
  expect_equal_ends(program);
}

TEST(Request, freed_under_way_still_completes) {
  MemorySource program(2);
  const RequestId request = 0;
  program.add(
      0, {.kind = ActionKind::send, .mode = trace::SendMode::synchronous, .peer = 1, .bytes = 100, .request = request});
  program.add(0, {.kind = ActionKind::request_free, .request = request});
  program.compute(1, 1'000'000);
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 100});
  program.finalize();
  EXPECT_THAT(smpi_ends(program), testing::ElementsAre(0, testing::DoubleNear(1e-3 + message(100), 1e-12)));
}

TEST(Communicator, ranks_are_those_of_the_communicator) {
  MemorySource program(4);
  const auto reversed = program.add_communicator({3, 2, 1, 0});
  program.add(3, {.kind = ActionKind::send, .communicator = reversed, .peer = 3, .bytes = 1000});
  program.add(0, {.kind = ActionKind::receive, .communicator = reversed, .peer = 0, .bytes = 1000});
  program.finalize();
  EXPECT_NEAR(smpi_ends(program)[0], message(1000), 1e-12);
}

TEST(Communicator, messages_of_one_are_not_seen_in_another) {
  MemorySource program(2);
  const auto other = program.add_communicator({0, 1});
  program.add(0, {.kind = ActionKind::send, .communicator = other, .peer = 1, .bytes = 8});
  program.compute(0, 1'000'000);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 8});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 8});
  program.add(1, {.kind = ActionKind::receive, .communicator = other, .peer = 0, .bytes = 8});
  program.finalize();
  EXPECT_NEAR(smpi_ends(program)[1], 1e-3 + message(8), 1e-12);
}

TEST(Communicator, collectives_bind_its_members_only) {
  MemorySource program(4);
  const auto even = program.add_communicator({0, 2});
  const auto odd = program.add_communicator({3, 1});
  for (const Rank rank : {0, 1, 2, 3}) {
    program.compute(rank, rank % 2 == 0 ? 1'000'000 : 5'000'000);
    program.add(rank, {.kind = ActionKind::barrier, .communicator = rank % 2 == 0 ? even : odd});
  }
  program.finalize();
  const std::vector<double> ends = smpi_ends(program);
  EXPECT_NEAR(ends[0], 1e-3, 1e-4);
  EXPECT_NEAR(ends[1], 5e-3, 1e-4);
}

TEST(Communicator, creation_makes_the_parents_members_meet) {
  for (const ActionKind kind :
       {ActionKind::comm_dup, ActionKind::comm_split, ActionKind::comm_create, ActionKind::cart_create}) {
    MemorySource program(3);
    const auto made = program.add_communicator({0, 1});
    program.compute(2, 2'000'000);
    for (const Rank rank : {0, 1, 2})
      program.add(rank, {.kind = kind, .new_communicator = rank < 2 ? made : trace::no_communicator});
    for (const Rank rank : {0, 1})
      program.add(rank, {.kind = ActionKind::comm_free, .communicator = made});
    program.finalize();
    EXPECT_THAT(smpi_ends(program), testing::Each(testing::Ge(2e-3))) << name(kind);
  }
}

TEST(Communicator, created_by_its_group_alone_leaves_the_others_be) {
  MemorySource program(3);
  const auto made = program.add_communicator({0, 1});
  program.compute(2, 2'000'000);
  for (const Rank rank : {0, 1})
    program.add(rank, {.kind = ActionKind::comm_create_group, .new_communicator = made});
  program.finalize();
  EXPECT_LT(smpi_ends(program)[0], 1e-3);
}

TEST(Clock, starts_at_0_for_every_rank_when_all_are_ready) {
  MemorySource program(32);
  program.finalize();
  EXPECT_THAT(smpi_ends(program), testing::Each(0));
}

TEST(Clock, is_the_same_in_every_replay_of_the_platform) {
  const MemorySource program = RandomProgram(7).make();
  EXPECT_EQ(smpi_ends(program), smpi_ends(program));
}

TEST(Result, counts_the_actions_and_says_only_ends) {
  const MemorySource program = one_message(8);
  const SmpiResult result = smpi_replay(program, flat(), one_per_host(2));
  EXPECT_EQ(result.replay.actions, 4U);
  EXPECT_FALSE(result.replay.attributed);
  EXPECT_EQ(result.replay.lanes[0].name, "flat");
  EXPECT_GT(result.cpu_seconds, 0);
}

TEST(Progress, is_told_while_the_simulation_runs) {
  MemorySource program(1);
  for (int i = 0; i < 100'000; ++i)
    program.compute(0, 1);
  program.finalize();
  std::vector<std::uint64_t> seen;
  const auto watch = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(total, 100'001U);
    seen.push_back(done);
  };
  smpi_replay(program, flat(), one_per_host(1), {.progress = watch});
  EXPECT_GE(seen.size(), 3U);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
}

} // namespace
} // namespace timeless::replay
