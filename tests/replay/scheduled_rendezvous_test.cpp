// Messages within collectives that wait for their receives, by hand: a = 2 s, b = 1 s/B, messages of 4 B; so 2 + 4 = 6
// s when eager (the first lane), and 6 + 4 = 10 s with a handshake (the second).
#include "machines.h"
#include "replay/engine/diagnosis.h"
#include "replay/replay.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

namespace timeless::replay::test::scheduled_rendezvous_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using trace::ActionKind;
using trace::MemorySource;
using trace::RequestId;

constexpr RequestId zero[] = {0};

Result run(MemorySource& program) {
  program.finalize();
  const Network machine = with_eager_limits(
      flat_machine(program.run().size, std::vector<FlatCosts>(2, {.latency = 2, .byte_time = 1})), {no_eager_limit, 0});
  ReplayOptions options;
  options.collectives = CollectiveModel::schedule;
  return replay(program, machine, options);
}

TEST(ScheduledRendezvous, both_halves_of_a_step_run_at_once_when_both_members_have_come) {
  MemorySource program(2);
  program.compute(1, 5);
  for (Rank rank = 0; rank < 2; ++rank)
    program.add(rank, {.kind = ActionKind::allreduce, .bytes = 4, .element_bytes = 4});
  const Result result = run(program);
  EXPECT_THAT(ends(result.lanes[0]), ElementsAre(11, 6));
  EXPECT_THAT(ends(result.lanes[1]), ElementsAre(15, 15));
  EXPECT_EQ(result.lanes[1].ranks[0].wait, 5);
  EXPECT_EQ(result.lanes[1].ranks[0].latency, 6);
  EXPECT_EQ(result.lanes[1].ranks[0].bandwidth, 4);
}

TEST(ScheduledRendezvous, a_member_that_only_sends_is_done_when_its_message_has_arrived) {
  MemorySource program(2);
  program.compute(1, 5);
  for (Rank rank = 0; rank < 2; ++rank)
    program.add(rank, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 4});
  const Result result = run(program);
  EXPECT_THAT(ends(result.lanes[0]), ElementsAre(0, 6));
  EXPECT_THAT(ends(result.lanes[1]), ElementsAre(15, 15));
}

TEST(ScheduledRendezvous, a_member_of_a_tree_waits_for_each_message_before_it_sends_the_next) {
  // 0 to 2 and then to 1, 2 to 3; 2 comes at 5.
  MemorySource program(4);
  program.compute(2, 5);
  for (Rank rank = 0; rank < 4; ++rank)
    program.add(rank, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 4});
  EXPECT_THAT(ends(run(program).lanes[1]), ElementsAre(25, 25, 25, 25));
}

TEST(ScheduledRendezvous, messages_without_bytes_do_not_wait) {
  MemorySource program(2);
  program.compute(1, 5);
  for (Rank rank = 0; rank < 2; ++rank)
    program.add(rank, {.kind = ActionKind::barrier});
  const Result result = run(program);
  EXPECT_THAT(ends(result.lanes[0]), ElementsAre(7, 5));
  EXPECT_THAT(ends(result.lanes[1]), ElementsAre(7, 5));
}

TEST(ScheduledRendezvous, neighbours_post_all_their_receives_before_they_send) {
  MemorySource program(3);
  program.compute(2, 5);
  for (Rank rank = 0; rank < 3; ++rank) {
    const Rank ranks[] = {(rank + 2) % 3, (rank + 1) % 3, (rank + 2) % 3, (rank + 1) % 3};
    program.add(rank, {.kind = ActionKind::neighbor_alltoall, .tag = 3, .bytes = 4, .ranks = ranks});
  }
  const Result result = run(program);
  EXPECT_THAT(ends(result.lanes[0]), ElementsAre(11, 11, 6));
  EXPECT_THAT(ends(result.lanes[1]), ElementsAre(15, 15, 15));
}

TEST(ScheduledRendezvous, a_neighbour_s_message_leaves_while_its_receiver_waits_for_another_neighbour) {
  // Rank 1 comes only when rank 2, which is done with its part, has sent to it.
  MemorySource program(3);
  const Rank both[] = {1, 2};
  const Rank root[] = {0};
  program.add(0, {.kind = ActionKind::neighbor_allgather, .tag = 3, .bytes = 4, .ranks = both});
  program.add(2, {.kind = ActionKind::neighbor_allgather, .tag = 1, .bytes = 4, .ranks = root});
  program.add(2, {.kind = ActionKind::send, .peer = 1, .bytes = 4});
  program.add(1, {.kind = ActionKind::receive, .peer = 2, .bytes = 4});
  program.add(1, {.kind = ActionKind::neighbor_allgather, .tag = 1, .bytes = 4, .ranks = root});
  const Result result = run(program);
  EXPECT_THAT(ends(result.lanes[0]), ElementsAre(12, 6, 0));
  EXPECT_THAT(ends(result.lanes[1]), ElementsAre(30, 30, 20));
}

TEST(ScheduledRendezvous, a_linear_gather_s_messages_are_on_their_way_together) {
  constexpr Bytes counts[] = {0, 4, 4};
  MemorySource program(3);
  program.compute(2, 5);
  program.add(0, {.kind = ActionKind::gatherv, .peer = 0, .receive_counts = counts});
  for (const Rank rank : {1, 2})
    program.add(rank, {.kind = ActionKind::gatherv, .peer = 0, .bytes = 4});
  EXPECT_THAT(ends(run(program).lanes[1]), ElementsAre(15, 10, 15));
}

TEST(ScheduledRendezvous, computation_hides_a_nonblocking_collective_s_handshakes) {
  for (const std::uint64_t work : {0U, 3U, 30U}) {
    MemorySource program(2);
    program.compute(1, 5);
    for (Rank rank = 0; rank < 2; ++rank) {
      program.add(rank, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 4, .request = 0});
      program.compute(rank, work);
      program.add(rank, {.kind = ActionKind::wait, .requests = zero});
    }
    const auto computed = static_cast<double>(work);
    EXPECT_THAT(ends(run(program).lanes[1]), ElementsAre(std::max(15.0, computed), std::max(15.0, 5 + computed)));
  }
}

TEST(ScheduledRendezvous, no_collective_brings_a_lane_to_a_deadlock_by_itself) {
  constexpr ActionKind kinds[] = {ActionKind::barrier,        ActionKind::broadcast, ActionKind::reduce,
                                  ActionKind::allreduce,      ActionKind::gather,    ActionKind::gatherv,
                                  ActionKind::scatter,        ActionKind::scatterv,  ActionKind::allgather,
                                  ActionKind::allgatherv,     ActionKind::alltoall,  ActionKind::alltoallv,
                                  ActionKind::reduce_scatter, ActionKind::scan,      ActionKind::reduce_scatter_block};
  for (const ActionKind kind : kinds)
    for (const Rank members : {2, 3, 4, 7, 8, 13, 16})
      for (const Bytes part : {Bytes{8}, Bytes{100'000}}) {
        MemorySource program(members);
        const std::vector<Bytes> parts(static_cast<std::size_t>(members), part);
        const bool rooted = kind == ActionKind::broadcast || kind == ActionKind::reduce || kind == ActionKind::gather ||
                            kind == ActionKind::gatherv || kind == ActionKind::scatter || kind == ActionKind::scatterv;
        for (Rank rank = 0; rank < members; ++rank) {
          trace::Action action{.kind = kind, .bytes = part, .receive_bytes = part, .element_bytes = 8};
          if (rooted) action.peer = members - 1;
          if (kind == ActionKind::allgatherv || kind == ActionKind::gatherv || kind == ActionKind::alltoallv)
            action.receive_counts = parts;
          if (kind == ActionKind::scatterv || kind == ActionKind::alltoallv || kind == ActionKind::reduce_scatter)
            action.counts = parts;
          program.add(rank, action);
        }
        const Result result = run(program);
        EXPECT_FALSE(result.lanes[1].deadlock) << trace::name(kind) << ", " << members << " members";
        EXPECT_GE(result.lanes[1].makespan, result.lanes[0].makespan) << trace::name(kind);
      }
}

TEST(ScheduledRendezvous, no_collective_between_groups_brings_a_lane_to_a_deadlock_by_itself) {
  for (const ActionKind kind : {ActionKind::barrier, ActionKind::allreduce, ActionKind::allgather,
                                ActionKind::allgatherv, ActionKind::alltoall, ActionKind::reduce_scatter_block})
    for (const Rank first : {1, 2, 4}) {
      constexpr Rank all = 5;
      MemorySource program(all);
      std::vector<Rank> one;
      std::vector<Rank> other;
      for (Rank rank = 0; rank < all; ++rank)
        (rank < first ? one : other).push_back(rank);
      const auto both = program.add_communicator(one, other);
      for (Rank rank = 0; rank < all; ++rank) {
        const std::vector<Bytes> theirs(rank < first ? other.size() : one.size(), 1000);
        trace::Action action{
            .kind = kind, .communicator = both, .bytes = 1000, .receive_bytes = 1000, .element_bytes = 8};
        if (kind == ActionKind::allgatherv) action.receive_counts = theirs;
        program.add(rank, action);
      }
      EXPECT_FALSE(run(program).lanes[1].deadlock) << trace::name(kind) << ", " << first << " in the first group";
    }
}

TEST(ScheduledRendezvous, a_lane_that_ends_in_a_deadlock_says_so_and_the_others_go_on) {
  // Rank 0 sends before it comes to the broadcast, and rank 1 receives after it.
  for (const bool nonblocking : {false, true}) {
    MemorySource program(2);
    const RequestId request = nonblocking ? 0 : trace::no_request;
    program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 4});
    for (Rank rank = 0; rank < 2; ++rank) {
      program.add(rank, {.kind = ActionKind::broadcast, .peer = 1, .bytes = 4, .request = request});
      if (nonblocking) program.add(rank, {.kind = ActionKind::wait, .requests = zero});
    }
    program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 4});
    const Result result = run(program);
    EXPECT_FALSE(result.lanes[0].deadlock);
    EXPECT_THAT(ends(result.lanes[0]), ElementsAre(6, 6));
    ASSERT_TRUE(result.lanes[1].deadlock);
    const std::string told = ReplayProblem(*result.lanes[1].deadlock).what();
    EXPECT_THAT(told, HasSubstr("rank 0, action 0: Send waits for rank 1 to receive its message of 4 bytes"));
    EXPECT_THAT(told, HasSubstr(nonblocking ? "Wait waits for rank 0 to reach Ibcast"
                                            : "Bcast waits for rank 0 to reach Bcast"));
  }
}

} // namespace
} // namespace timeless::replay::test::scheduled_rendezvous_test
