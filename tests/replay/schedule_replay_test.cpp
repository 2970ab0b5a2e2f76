// Collectives carried out step by step, worked out by hand: a message takes 10 + its bytes, arithmetic 3 a byte.
#include "machines.h"
#include "replay/replay.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace timeless::replay::test::schedule_replay_test {
namespace {

using testing::IsEmpty;
using trace::ActionKind;
using trace::MemorySource;
using trace::RequestId;

constexpr RequestId zero[] = {0};
constexpr FlatCosts costs{.latency = 10, .byte_time = 1, .reduction = 3};

Result run(MemorySource& program, CollectiveModel model = CollectiveModel::schedule, FlatCosts machine = costs) {
  program.finalize();
  const Network network = flat_machine(program.run().size, {machine});
  ReplayOptions options;
  options.collectives = model;
  return replay(program, network, options);
}

RankTimes times(const Result& result, std::size_t rank) {
  return result.lanes.at(0).ranks.at(rank);
}

TEST(ScheduleReplay, a_broadcast_lets_those_go_that_are_early_in_the_tree) {
  // 0 to 2 and 1, 2 to 3. Rank 2 comes at 100, and 3 waits for it; 1 does not.
  MemorySource program(4);
  program.compute(2, 100);
  for (Rank rank = 0; rank < 4; ++rank)
    program.add(rank, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 5});
  const Result result = run(program);
  EXPECT_EQ(times(result, 0).end, 0);
  EXPECT_EQ(times(result, 1).end, 15);
  EXPECT_EQ(times(result, 2).end, 100);
  EXPECT_EQ(times(result, 3).end, 115);
  EXPECT_EQ(times(result, 3).wait, 100);
  EXPECT_EQ(times(result, 3).latency, 10);
  EXPECT_EQ(times(result, 3).bandwidth, 5);
}

TEST(ScheduleReplay, a_root_far_along_is_turned_into_the_tree_s_first) {
  // Root 3 of 4: relative places are 1, 2, 3 for 0, 1, 2. The tree is 3 to 1 and 0, 1 to 2.
  MemorySource program(4);
  for (Rank rank = 0; rank < 4; ++rank)
    program.add(rank, {.kind = ActionKind::broadcast, .peer = 3, .bytes = 5});
  const Result result = run(program);
  EXPECT_EQ(times(result, 3).end, 0);
  EXPECT_EQ(times(result, 0).end, 15);
  EXPECT_EQ(times(result, 1).end, 15);
  EXPECT_EQ(times(result, 2).end, 30);
}

TEST(ScheduleReplay, an_allreduce_pays_messages_and_arithmetic_step_by_step) {
  // 8 bytes: 18 on the way and 24 of arithmetic, twice.
  MemorySource program(4);
  for (Rank rank = 0; rank < 4; ++rank)
    program.add(rank, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
  const RankTimes first = times(run(program), 0);
  EXPECT_EQ(first.end, 84);
  EXPECT_EQ(first.latency, 20);
  EXPECT_EQ(first.bandwidth, 16);
  EXPECT_EQ(first.overhead, 48);
  EXPECT_EQ(first.wait, 0);
}

TEST(ScheduleReplay, a_late_member_of_an_allreduce_is_waited_for_by_whom_it_concerns_first) {
  // Rank 3 comes at 100. Ranks 0 and 1 are done with each other at 42, and take from 2 and 3 what these have after 100:
  // 2 has it at 142 (with 3's), so 0 gets it at 160 and adds until 184.
  MemorySource program(4);
  program.compute(3, 100);
  for (Rank rank = 0; rank < 4; ++rank)
    program.add(rank, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
  const Result result = run(program);
  EXPECT_EQ(times(result, 0).end, 184);
  EXPECT_EQ(times(result, 0).wait, 100);
  // 3 finds 2's message there, adds until 124, finds 1's there, too.
  EXPECT_EQ(times(result, 3).end, 148);
  EXPECT_EQ(times(result, 3).wait, 0);
  EXPECT_EQ(times(result, 3).latency, 0);
}

TEST(ScheduleReplay, steps_copy_and_have_overheads_like_messages) {
  MemorySource program(2);
  for (Rank rank = 0; rank < 2; ++rank)
    program.add(rank, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 5});
  const Result result = run(program, CollectiveModel::schedule, {.latency = 10, .byte_time = 1, .memory_copy = 2});
  EXPECT_EQ(times(result, 0).memory_copy, 10);
  EXPECT_EQ(times(result, 1).end, 25);
  EXPECT_EQ(times(result, 1).wait, 10);
}

TEST(ScheduleReplay, a_nonblocking_collective_goes_on_beside_computation) {
  // An Ibcast of 5 bytes to 3 over 2 is there at 30, whatever 2 and 3 compute meanwhile.
  for (const std::uint64_t work : {0U, 12U, 22U, 27U, 50U}) {
    MemorySource program(4);
    for (Rank rank = 0; rank < 4; ++rank) {
      program.add(rank, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 5, .request = 0});
      program.compute(rank, work);
      program.add(rank, {.kind = ActionKind::wait, .requests = zero});
    }
    const Result result = run(program);
    const double computed = static_cast<double>(work);
    const RankTimes last = times(result, 3);
    EXPECT_EQ(last.end, std::max(30.0, computed));
    // Its own way began with 15 of waiting for 2, then 10 of latency, 5 of bytes; computation hides them in this order.
    EXPECT_EQ(last.wait, std::max(0.0, 15 - computed));
    EXPECT_EQ(last.latency, std::max(0.0, std::min(10.0, 25 - computed)));
    EXPECT_EQ(last.bandwidth, std::max(0.0, std::min(5.0, 30 - computed)));
    EXPECT_EQ(times(result, 0).end, computed);
  }
}

TEST(ScheduleReplay, nonblocking_collectives_overtake_each_other) {
  // Rank 1 calls the barrier last, at 100, and gets the broadcast that came after it from rank 0 before.
  MemorySource program(2);
  constexpr RequestId both[] = {0, 1};
  program.add(0, {.kind = ActionKind::barrier, .request = 0});
  program.add(0, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 5, .request = 1});
  program.add(0, {.kind = ActionKind::wait_all, .requests = both});
  program.compute(1, 100);
  program.add(1, {.kind = ActionKind::barrier, .request = 0});
  program.add(1, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 5, .request = 1});
  constexpr RequestId second[] = {1};
  program.add(1, {.kind = ActionKind::wait, .requests = second});
  program.add(1, {.kind = ActionKind::wait, .requests = zero});
  const Result result = run(program);
  EXPECT_EQ(times(result, 1).end, 100);
  EXPECT_EQ(times(result, 0).end, 110);
}

TEST(ScheduleReplay, a_message_that_depends_on_a_later_collective_than_its_receiver_waits_in_is_no_deadlock) {
  // Rank 1 calls the Ibarrier only when rank 2 has sent to it, which waits for a broadcast called after its Ibarrier.
  MemorySource program(3);
  constexpr RequestId first[] = {1};
  for (const Rank rank : {0, 2}) {
    program.add(rank, {.kind = ActionKind::barrier, .request = 0});
    program.add(rank, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 5, .request = 1});
    program.add(rank, {.kind = ActionKind::wait, .requests = first});
  }
  program.add(2, {.kind = ActionKind::send, .peer = 1, .bytes = 5});
  program.add(1, {.kind = ActionKind::receive, .peer = 2, .bytes = 5});
  program.add(1, {.kind = ActionKind::barrier, .request = 0});
  program.add(1, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 5, .request = 1});
  program.add(1, {.kind = ActionKind::wait, .requests = first});
  for (Rank rank = 0; rank < 3; ++rank)
    program.add(rank, {.kind = ActionKind::wait, .requests = zero});
  // The message is there at 30; the barrier's second step comes from rank 2, which had rank 1's first at 40.
  EXPECT_EQ(times(run(program), 1).end, 50);
}

TEST(ScheduleReplay, members_of_another_communicator_are_not_waited_for) {
  MemorySource program(3);
  const auto pair = program.add_communicator({2, 0});
  program.compute(1, 1000);
  for (const Rank rank : {0, 2})
    program.add(rank, {.kind = ActionKind::barrier, .communicator = pair});
  const Result result = run(program);
  EXPECT_EQ(times(result, 0).end, 10);
  EXPECT_EQ(times(result, 2).end, 10);
}

TEST(ScheduleReplay, creating_a_communicator_is_an_allreduce_of_8_bytes_without_arithmetic) {
  MemorySource program(4);
  const auto copy = program.add_communicator({0, 1, 2, 3});
  for (Rank rank = 0; rank < 4; ++rank)
    program.add(rank, {.kind = ActionKind::comm_dup, .new_communicator = copy});
  EXPECT_EQ(times(run(program), 2).end, 36);
}

TEST(ScheduleReplay, neighbours_wait_for_each_other_only_in_every_model) {
  for (const CollectiveModel model : {CollectiveModel::mpich, CollectiveModel::simple, CollectiveModel::schedule}) {
    // A ring of 6; rank 3 comes at 100.
    MemorySource program(6);
    program.compute(3, 100);
    for (Rank rank = 0; rank < 6; ++rank) {
      const Rank ranks[] = {(rank + 5) % 6, (rank + 1) % 6, (rank + 5) % 6, (rank + 1) % 6};
      program.add(rank, {.kind = ActionKind::neighbor_alltoall, .tag = 3, .bytes = 5, .ranks = ranks});
    }
    const Result result = run(program, model);
    for (const std::size_t rank : {0U, 1U, 5U})
      EXPECT_EQ(times(result, rank).end, 15);
    EXPECT_EQ(times(result, 2).end, 115);
    EXPECT_EQ(times(result, 3).end, 100);
    EXPECT_EQ(times(result, 4).end, 115);
    EXPECT_THAT(result.notes, IsEmpty());
  }
}

TEST(ScheduleReplay, neighbours_that_were_not_recorded_are_said_to_be_all) {
  MemorySource program(3);
  program.compute(2, 100);
  for (Rank rank = 0; rank < 3; ++rank)
    program.add(rank, {.kind = ActionKind::neighbor_alltoall, .bytes = 5});
  const Result result = run(program);
  EXPECT_EQ(times(result, 0).end, 115);
  ASSERT_EQ(result.not_modelled.size(), 1U);
  EXPECT_EQ(result.not_modelled[0].calls, 3U);
  EXPECT_THAT(result.not_modelled[0].what, testing::HasSubstr("neighbours were not recorded"));
}

TEST(ScheduleReplay, between_groups_members_beside_the_root_go_on_at_once_in_every_model) {
  for (const CollectiveModel model : {CollectiveModel::mpich, CollectiveModel::simple, CollectiveModel::schedule}) {
    MemorySource program(5);
    const auto both = program.add_communicator({0, 1}, {2, 3, 4});
    program.compute(0, 100);
    program.add(0,
                {.kind = ActionKind::broadcast, .communicator = both, .peer = trace::root_of_remote_group, .bytes = 5});
    program.add(1, {.kind = ActionKind::broadcast, .communicator = both, .peer = trace::no_rank, .bytes = 5});
    for (const Rank rank : {2, 3, 4})
      program.add(rank, {.kind = ActionKind::broadcast, .communicator = both, .peer = 0, .bytes = 5});
    const Result result = run(program, model);
    EXPECT_EQ(times(result, 1).end, 0);
    // To the other group's first, then down its tree: 15 and 15, or 30 by the table's two levels for 3 members.
    if (model == CollectiveModel::schedule) {
      EXPECT_EQ(times(result, 0).end, 100);
      EXPECT_EQ(times(result, 2).end, 115);
      EXPECT_EQ(times(result, 3).end, 130);
    }
    if (model == CollectiveModel::mpich) {
      EXPECT_EQ(times(result, 3).end, 145);
    }
    EXPECT_THAT(result.notes, IsEmpty());
  }
}

TEST(ScheduleReplay, between_groups_a_nonblocking_collective_completes_beside_the_root_at_once) {
  for (const CollectiveModel model : {CollectiveModel::mpich, CollectiveModel::schedule}) {
    MemorySource program(3);
    const auto both = program.add_communicator({0, 1}, {2});
    for (Rank rank = 0; rank < 3; ++rank) {
      if (rank == 0) program.compute(rank, 50);
      const Rank root = rank == 0 ? trace::root_of_remote_group : rank == 1 ? trace::no_rank : 0;
      program.add(rank, {.kind = ActionKind::broadcast, .communicator = both, .peer = root, .bytes = 5, .request = 0});
      program.add(rank, {.kind = ActionKind::wait, .requests = zero});
    }
    const Result result = run(program, model);
    EXPECT_EQ(times(result, 1).end, 0);
    EXPECT_EQ(times(result, 2).end, 65);
  }
}

TEST(ScheduleReplay, parts_of_no_bytes_are_waited_for_by_nobody) {
  // Rank 1's part is empty; root 2 is late.
  MemorySource program(3);
  program.compute(2, 100);
  constexpr Bytes counts[] = {5, 0, 0};
  program.add(0, {.kind = ActionKind::scatterv, .peer = 2, .receive_bytes = 5});
  program.add(1, {.kind = ActionKind::scatterv, .peer = 2});
  program.add(2, {.kind = ActionKind::scatterv, .peer = 2, .counts = counts});
  const Result result = run(program);
  EXPECT_EQ(times(result, 0).end, 115);
  EXPECT_EQ(times(result, 1).end, 0);
}

TEST(ScheduleReplay, an_alltoall_of_many_members_leaves_nothing_behind_for_its_pairs) {
  // 1,000 members, as many steps as there are pairs, 32 of them on their way at once.
  constexpr Rank members = 1000;
  MemorySource program(members);
  for (Rank rank = 0; rank < members; ++rank)
    program.add(rank, {.kind = ActionKind::alltoall, .bytes = 300, .receive_bytes = 300});
  const Result result = run(program);
  for (const RankTimes& one : result.lanes.at(0).ranks)
    ASSERT_EQ(one.end, 32 * 310);
}

} // namespace
} // namespace timeless::replay::test::schedule_replay_test
