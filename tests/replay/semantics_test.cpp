// What each kind of action means for the ranks' times, one claim a test; docs/model.md states them.
#include "machines.h"
#include "replay/replay.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace timeless::replay::test::semantics_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using trace::Action;
using trace::ActionKind;
using trace::MemorySource;
using trace::RequestId;

constexpr FlatCosts unit{.latency = 10, .byte_time = 1};

Action send_to(Rank peer, Bytes bytes = 5) {
  return {.kind = ActionKind::send, .peer = peer, .bytes = bytes};
}
Action receive_from(Rank peer) {
  return {.kind = ActionKind::receive, .peer = peer, .bytes = 5};
}
Action with_request(Action action, RequestId request) {
  action.request = request;
  return action;
}
Action completion(ActionKind kind, std::span<const RequestId> requests) {
  return {.kind = kind, .requests = requests};
}

Result run(MemorySource& program, const FlatCosts& costs = unit) {
  program.finalize();
  const Network machine = flat_machine(program.run().size, {costs});
  return replay(program, machine);
}

RankTimes times(const Result& result, std::size_t rank) {
  return result.lanes.at(0).ranks.at(rank);
}

/// Returns what was not modelled, in a line each: "2 calls of 1 ranks: ...".
std::vector<std::string> not_modelled(const Result& result) {
  std::vector<std::string> all;
  for (const NotModelled& one : result.not_modelled)
    all.push_back(std::to_string(one.calls) + " calls of " + std::to_string(one.ranks) + " ranks: " + one.what);
  return all;
}

constexpr RequestId zero[] = {0};
constexpr RequestId zero_one[] = {0, 1};

TEST(Semantics, nonblocking_send_pays_its_copy_and_its_wait_is_free) {
  MemorySource program(2);
  program.add(0, with_request(send_to(1), 0));
  program.add(0, completion(ActionKind::wait, zero));
  program.compute(1, 100);
  program.add(1, receive_from(0));
  const Result result = run(program, {.latency = 10, .byte_time = 1, .memory_copy = 2});
  EXPECT_EQ(times(result, 0).end, 10);
  EXPECT_EQ(times(result, 0).memory_copy, 10);
}

TEST(Semantics, burst_takes_as_long_as_its_longest_thread) {
  for (const std::size_t actions_per_block : {1U, 2U, 3U, 4096U}) {
    MemorySource program(1, actions_per_block);
    const auto burst = [&](std::uint64_t own, std::uint64_t sum, std::uint64_t maximum) {
      program.compute(0, own);
      program.volume(0, ActionKind::workers_sum, sum);
      program.volume(0, ActionKind::workers_maximum, maximum);
      program.add(0, {.kind = ActionKind::barrier});
    };
    burst(100, 500, 160);
    burst(100, 90, 40);
    program.volume(0, ActionKind::workers_sum, 7);
    program.volume(0, ActionKind::workers_maximum, 7);
    EXPECT_EQ(times(run(program), 0).end, 160 + 100 + 7) << actions_per_block << " actions a block";
  }
}

TEST(Semantics, what_is_not_modelled_is_counted_and_takes_no_time) {
  MemorySource program(2, 3);
  for (int times = 0; times < 5; ++times) {
    program.add(0, {.kind = ActionKind::grequest_start, .request = 0});
    program.add(0, completion(ActionKind::wait, zero));
  }
  const Result result = run(program);
  EXPECT_EQ(result.lanes[0].makespan, 0);
  EXPECT_THAT(not_modelled(result), ElementsAre(AllOf(HasSubstr("5 calls of 1 ranks"), HasSubstr("generalized"))));
}

TEST(Semantics, calls_shared_with_another_world_take_no_time_and_wait_for_nobody) {
  constexpr Rank other = trace::foreign_rank;
  MemorySource program(2);
  const auto between = program.add_communicator({0, 1}, {other, other});
  const auto merged = program.add_communicator({other, 0, other, 1});
  for (const Rank rank : {0, 1}) {
    program.add(rank, {.kind = ActionKind::comm_spawn, .peer = 0, .new_communicator = between});
    program.add(rank, {.kind = ActionKind::send, .communicator = between, .peer = 1, .bytes = 5});
    program.add(rank, {.kind = ActionKind::receive, .communicator = between, .peer = trace::any_rank, .request = 0});
    program.add(rank, {.kind = ActionKind::resolved, .communicator = between, .peer = 0, .request = 0});
    program.add(rank, completion(ActionKind::wait, zero));
    program.add(rank, {.kind = ActionKind::receive, .communicator = between, .peer = 1, .request = 0});
    program.add(rank, {.kind = ActionKind::cancelled, .request = 0});
    program.add(rank, completion(ActionKind::wait, zero));
    program.add(rank, {.kind = ActionKind::intercomm_merge, .communicator = between, .new_communicator = merged});
    program.add(rank, {.kind = ActionKind::exchange, .communicator = merged, .peer = 2, .receive_peer = 0});
    program.add(rank, {.kind = ActionKind::probe, .communicator = merged, .peer = 3});
    program.add(rank, {.kind = ActionKind::allreduce, .communicator = merged, .bytes = 8, .request = 0});
    program.add(rank, completion(ActionKind::wait, zero));
  }
  program.add(0, {.kind = ActionKind::broadcast, .communicator = between, .peer = trace::root_of_remote_group});
  const Result result = run(program);
  EXPECT_EQ(times(result, 0).end, 10) << "the spawn, a meeting like a barrier's";
  EXPECT_THAT(not_modelled(result),
              ElementsAre(AllOf(HasSubstr("15 calls of 2 ranks"), HasSubstr("what they share take no time")),
                          AllOf(HasSubstr("2 calls of 2 ranks"), HasSubstr("starting or meeting processes"))));
}

TEST(Semantics, posted_receive_lets_computation_hide_the_message) {
  MemorySource program(2);
  program.add(0, with_request(receive_from(1), 0));
  program.compute(0, 12);
  program.add(0, completion(ActionKind::wait, zero));
  program.add(1, send_to(0));
  const RankTimes receiver = times(run(program), 0);
  EXPECT_EQ(receiver.wait, 0);
  EXPECT_EQ(receiver.latency, 0);
  EXPECT_EQ(receiver.bandwidth, 3);
  EXPECT_EQ(receiver.end, 15);
}

TEST(Semantics, waitall_ends_with_the_last_and_attributes_in_order_of_arrival) {
  // From rank 1: sent at 0, there at 15. From rank 2: sent at 20, there at 35. Listed the other way round.
  MemorySource program(3);
  program.add(0, with_request(receive_from(2), 0));
  program.add(0, with_request(receive_from(1), 1));
  program.add(0, completion(ActionKind::wait_all, zero_one));
  program.add(1, send_to(0));
  program.compute(2, 20);
  program.add(2, send_to(0));
  const RankTimes receiver = times(run(program), 0);
  EXPECT_EQ(receiver.end, 35);
  EXPECT_EQ(receiver.latency, 10 + 10);
  EXPECT_EQ(receiver.bandwidth, 5 + 5);
  EXPECT_EQ(receiver.wait, 5);
}

TEST(Semantics, test_that_completed_is_a_wait) {
  for (const ActionKind kind : {ActionKind::test, ActionKind::test_any, ActionKind::test_some, ActionKind::test_all,
                                ActionKind::wait_any, ActionKind::wait_some}) {
    MemorySource program(2);
    program.add(0, with_request(receive_from(1), 0));
    program.add(0, completion(kind, zero));
    program.compute(1, 7);
    program.add(1, send_to(0));
    EXPECT_EQ(times(run(program), 0).end, 22) << trace::name(kind);
  }
}

TEST(Semantics, receives_get_messages_in_the_order_of_posting_whatever_is_waited_for_first) {
  MemorySource program(2);
  program.add(0, with_request(receive_from(1), 0));
  program.add(0, with_request(receive_from(1), 1));
  constexpr RequestId one[] = {1};
  program.add(0, completion(ActionKind::wait, one));
  program.add(0, completion(ActionKind::wait, zero));
  program.add(1, send_to(0));
  program.compute(1, 100);
  program.add(1, send_to(0));
  const RankTimes receiver = times(run(program), 0);
  EXPECT_EQ(receiver.wait, 100);
  EXPECT_EQ(receiver.end, 115);
}

TEST(Semantics, probe_waits_for_the_envelope_and_leaves_the_message) {
  MemorySource program(2);
  program.add(0, {.kind = ActionKind::probe, .peer = 1});
  program.compute(0, 2);
  program.add(0, receive_from(1));
  program.compute(1, 4);
  program.add(1, send_to(0));
  const RankTimes receiver = times(run(program), 0);
  EXPECT_EQ(receiver.wait, 4);
  EXPECT_EQ(receiver.latency, 10);
  EXPECT_EQ(receiver.bandwidth, 3);
  EXPECT_EQ(receiver.end, 19);
}

TEST(Semantics, exchange_sends_before_it_waits) {
  MemorySource program(2);
  for (const Rank rank : {0, 1}) {
    const Rank other = 1 - rank;
    program.add(rank,
                {.kind = ActionKind::exchange, .peer = other, .bytes = 5, .receive_peer = other, .receive_bytes = 5});
  }
  EXPECT_EQ(run(program).lanes[0].makespan, 15);
}

TEST(Semantics, a_rank_may_send_to_itself) {
  MemorySource program(1);
  program.add(0, send_to(0));
  program.compute(0, 3);
  program.add(0, receive_from(0));
  EXPECT_EQ(times(run(program), 0).end, 15);
}

TEST(Semantics, nobody_is_no_partner) {
  MemorySource program(1);
  program.add(0, send_to(trace::no_rank));
  program.add(0, receive_from(trace::no_rank));
  program.add(0, with_request(receive_from(trace::no_rank), 0));
  program.add(0, completion(ActionKind::wait, zero));
  EXPECT_EQ(times(run(program), 0).end, 0);
}

TEST(Semantics, nonblocking_collective_overlaps_with_computation) {
  MemorySource program(2);
  for (const Rank rank : {0, 1}) {
    program.compute(rank, rank == 0 ? 1 : 6);
    program.add(rank, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 5, .request = 0});
    program.compute(rank, 12);
    program.add(rank, completion(ActionKind::wait, zero));
  }
  const Result result = run(program);
  // All have come at 6; it is done at 21. Rank 0 waits from 13, rank 1 from 18.
  EXPECT_EQ(times(result, 0).end, 21);
  EXPECT_EQ(times(result, 0).latency, 3);
  EXPECT_EQ(times(result, 0).bandwidth, 5);
  EXPECT_EQ(times(result, 1).end, 21);
  EXPECT_EQ(times(result, 1).latency, 0);
  EXPECT_EQ(times(result, 1).bandwidth, 3);
}

TEST(Semantics, collectives_concern_the_members_of_their_communicator_only) {
  MemorySource program(3);
  const auto pair = program.add_communicator({2, 0});
  program.compute(1, 1000);
  for (const Rank rank : {0, 2})
    program.add(rank, {.kind = ActionKind::barrier, .communicator = pair});
  const Result result = run(program);
  EXPECT_EQ(times(result, 0).end, 10);
  EXPECT_EQ(times(result, 2).end, 10);
}

TEST(Semantics, peers_are_ranks_of_the_communicator) {
  MemorySource program(3);
  const auto pair = program.add_communicator({2, 0});
  program.add(2, {.kind = ActionKind::send, .communicator = pair, .peer = 1, .bytes = 5});
  program.add(0, {.kind = ActionKind::receive, .communicator = pair, .peer = 0, .bytes = 5});
  EXPECT_EQ(times(run(program), 0).end, 15);
}

TEST(Semantics, peers_on_an_intercommunicator_are_of_the_other_group) {
  MemorySource program(4);
  const auto both = program.add_communicator({0, 1}, {2, 3});
  program.add(1, {.kind = ActionKind::send, .communicator = both, .peer = 0, .bytes = 5});
  program.add(2, {.kind = ActionKind::receive, .communicator = both, .peer = 1, .bytes = 5});
  for (Rank rank = 0; rank < 4; ++rank)
    program.add(rank, {.kind = ActionKind::barrier, .communicator = both});
  // The barrier: one step in each group, one between their first members, one in each group.
  const Result result = run(program);
  EXPECT_EQ(times(result, 2).end, 45);
  EXPECT_EQ(times(result, 0).end, 45);
  EXPECT_THAT(result.not_modelled, IsEmpty());
}

TEST(Semantics, creating_a_communicator_gathers_its_parent) {
  MemorySource program(2);
  const auto copy = program.add_communicator({0, 1});
  program.compute(1, 30);
  for (const Rank rank : {0, 1})
    program.add(rank, {.kind = ActionKind::comm_dup, .new_communicator = copy});
  const RankTimes first = times(run(program), 0);
  EXPECT_EQ(first.wait, 30);
  EXPECT_EQ(first.end, 30 + 10 + 8);
}

TEST(Semantics, creating_from_a_group_gathers_the_group_only) {
  MemorySource program(3);
  const auto pair = program.add_communicator({0, 1});
  program.compute(2, 1000);
  for (const Rank rank : {0, 1})
    program.add(rank, {.kind = ActionKind::comm_create_group, .new_communicator = pair});
  EXPECT_EQ(times(run(program), 0).end, 18);
}

TEST(Semantics, late_resolved_wildcard_takes_its_message_when_resolved) {
  MemorySource program(2);
  program.add(0, with_request({.kind = ActionKind::receive, .peer = trace::any_rank}, 0));
  program.add(0, {.kind = ActionKind::resolved, .peer = 1, .bytes = 5, .request = 0});
  program.add(0, completion(ActionKind::wait, zero));
  program.add(1, send_to(0));
  EXPECT_EQ(times(run(program), 0).end, 15);
}

TEST(Semantics, late_resolved_wildcard_of_a_known_source_takes_the_message_of_its_tag) {
  MemorySource program(2);
  program.add(0, with_request({.kind = ActionKind::receive, .peer = 1, .tag = trace::any_tag}, 0));
  program.add(0, {.kind = ActionKind::resolved, .peer = 1, .tag = 3, .bytes = 5, .request = 0});
  program.add(0, completion(ActionKind::wait, zero));
  program.add(1, {.kind = ActionKind::send, .peer = 0, .tag = 3, .bytes = 5});
  EXPECT_EQ(times(run(program), 0).end, 15);
}

TEST(Semantics, late_resolved_wildcard_comes_before_the_receives_posted_after_it) {
  MemorySource program(2);
  program.add(0, with_request({.kind = ActionKind::receive, .peer = trace::any_rank}, 0));
  program.add(0, with_request(receive_from(1), 1));
  program.add(0, {.kind = ActionKind::resolved, .peer = 1, .bytes = 5, .request = 0});
  program.add(0, completion(ActionKind::wait, zero));
  program.add(1, send_to(0));
  program.compute(1, 1000);
  program.add(1, send_to(0));
  program.compute(0, 1);
  EXPECT_EQ(times(run(program), 0).end, 16);
}

TEST(Semantics, cancelled_receive_leaves_its_message_to_those_posted_later) {
  MemorySource program(2);
  program.add(0, with_request(receive_from(1), 0));
  program.add(0, with_request(receive_from(1), 1));
  program.add(0, {.kind = ActionKind::cancelled, .request = 0});
  program.add(0, completion(ActionKind::wait_all, zero_one));
  program.add(1, send_to(0));
  EXPECT_EQ(times(run(program), 0).end, 15);
}

TEST(Semantics, cancelled_receive_before_one_already_taken_leaves_its_message_to_the_next) {
  MemorySource program(2);
  constexpr RequestId one[] = {1};
  program.add(0, with_request(receive_from(1), 0));
  program.add(0, with_request(receive_from(1), 1));
  program.add(0, completion(ActionKind::wait, one));
  program.add(0, {.kind = ActionKind::cancelled, .request = 0});
  program.add(0, completion(ActionKind::wait, zero));
  program.add(0, receive_from(1));
  program.add(0, receive_from(1));
  for (int count = 0; count < 3; ++count)
    program.add(1, send_to(0));
  EXPECT_EQ(times(run(program), 0).end, 15);
}

TEST(Semantics, cancelled_send_is_never_received) {
  MemorySource program(2);
  program.add(1, with_request(send_to(0, 5), 0));
  program.add(1, with_request(send_to(0, 50), 1));
  program.add(1, {.kind = ActionKind::cancelled, .request = 0});
  program.add(1, completion(ActionKind::wait_all, zero_one));
  program.add(1, {.kind = ActionKind::send, .peer = 0, .tag = 1, .bytes = 0});
  // The message with the other tag comes after the cancellation.
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .tag = 1});
  program.add(0, receive_from(1));
  EXPECT_EQ(times(run(program), 0).end, 60);
}

TEST(Semantics, freed_receive_takes_its_message_unnoticed_before_or_after_it_comes) {
  for (const bool message_first : {true, false}) {
    MemorySource program(2);
    if (message_first) program.add(0, {.kind = ActionKind::receive, .peer = 1, .tag = 1});
    program.add(0, with_request(receive_from(1), 0));
    program.add(0, {.kind = ActionKind::request_free, .request = 0});
    if (!message_first) program.add(0, {.kind = ActionKind::send, .peer = 1, .tag = 1});
    program.add(0, receive_from(1));
    if (!message_first) program.add(1, {.kind = ActionKind::receive, .peer = 0, .tag = 1});
    program.add(1, send_to(0));
    if (message_first) program.add(1, {.kind = ActionKind::send, .peer = 0, .tag = 1});
    program.add(1, send_to(0));
    EXPECT_NO_THROW(run(program)) << message_first;
  }
}

TEST(Semantics, freeing_an_inactive_persistent_request_is_nothing) {
  MemorySource program(1);
  program.add(0, {.kind = ActionKind::request_free, .request = 3});
  EXPECT_EQ(times(run(program), 0).end, 0);
}

TEST(Semantics, persistent_requests_may_be_started_again_once_complete) {
  MemorySource program(2);
  for (int round = 0; round < 3; ++round) {
    Action start = with_request(receive_from(1), 0);
    start.flags = trace::flag_persistent;
    program.add(0, start);
    program.add(0, completion(ActionKind::wait, zero));
    program.add(1, send_to(0));
  }
  EXPECT_EQ(times(run(program), 0).end, 15);
}

TEST(Semantics, volumes_become_time_by_rank_and_lane) {
  MemorySource program(2);
  program.compute(0, 1000);
  program.compute(1, 1000);
  program.finalize();
  Placement placement = one_rank_per_node(2, 0);
  placement.seconds_per_unit = {2, 3};
  const Network machine =
      hockney_network({{.name = "as is", .between_nodes = {}, .within_node = {}},
                       {.name = "half", .between_nodes = {}, .within_node = {}, .compute_scale = 0.5}},
                      placement);
  const Result result = replay(program, machine);
  EXPECT_EQ(result.lanes[0].ranks[0].compute, 2000);
  EXPECT_EQ(result.lanes[0].ranks[1].end, 3000);
  EXPECT_EQ(result.lanes[1].ranks[0].end, 1000);
  EXPECT_EQ(result.lanes[1].makespan, 1500);
}

TEST(Semantics, ranks_of_one_node_use_its_own_link) {
  MemorySource program(3);
  program.add(0, send_to(1));
  program.add(0, send_to(2));
  program.add(1, receive_from(0));
  program.add(2, receive_from(0));
  program.finalize();
  Placement placement = one_rank_per_node(3, 1);
  placement.node_of_rank = {7, 7, 4};
  const Network machine =
      hockney_network({{.name = "two levels", .between_nodes = {100, 10}, .within_node = {1, 2}}}, placement);
  const Result result = replay(program, machine);
  EXPECT_EQ(times(result, 1).end, 1 + 10);
  EXPECT_EQ(times(result, 2).end, 100 + 50);
}

TEST(Semantics, a_recording_cut_short_is_replayed_as_far_as_it_goes_and_named) {
  MemorySource program(2);
  program.compute(0, 5);
  program.compute(1, 9);
  const Network machine = flat_machine(2, {unit});
  const Result result = replay(program, machine);
  EXPECT_EQ(result.lanes[0].makespan, 9);
  EXPECT_THAT(result.notes, Contains(HasSubstr("recording of rank 1 is cut short")));
}

TEST(Semantics, ranks_that_wait_for_what_a_recording_cut_short_does_not_hold_end_where_they_wait) {
  MemorySource program(3);
  program.compute(0, 5);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 4});
  program.add(0, {.kind = ActionKind::receive, .peer = 1});
  program.add(0, {.kind = ActionKind::barrier});
  program.add(1, {.kind = ActionKind::receive, .peer = 0});
  program.compute(2, 3);
  program.add(2, {.kind = ActionKind::barrier});
  program.finalize();
  program.description().find(1)->ending = trace::Ending::stopped;
  for (const trace::Bytes limit : {trace::Bytes{1000}, trace::Bytes{0}}) {
    const Network machine = flat_machine(3, {unit});
    ReplayOptions options;
    options.eager_limit = limit;
    const Result result = replay(program, machine, options);
    EXPECT_EQ(times(result, 2).end, 3) << limit;
    EXPECT_GE(times(result, 0).end, 5) << limit;
    EXPECT_GT(times(result, 1).end, 5) << limit;
    EXPECT_EQ(result.lanes[0].makespan, std::max(times(result, 0).end, times(result, 1).end)) << limit;
    EXPECT_FALSE(result.lanes[0].deadlock) << limit;
    EXPECT_THAT(result.notes, Contains(HasSubstr("2 of 3 ranks wait in the end for what was not recorded"))) << limit;
  }
}

TEST(Semantics, calls_seen_but_not_recorded_are_named_with_their_number_over_all_ranks) {
  MemorySource program(2);
  program.description().find(0)->unrecorded_calls = {{"MPI_Put", 3}};
  program.description().find(1)->unrecorded_calls = {{"MPI_Put", 4}, {"MPI_Get", 1}};
  const Result result = run(program);
  EXPECT_THAT(not_modelled(result), ElementsAre(AllOf(HasSubstr("1 calls of 1 ranks"), HasSubstr("MPI_Get")),
                                                AllOf(HasSubstr("7 calls of 2 ranks"), HasSubstr("MPI_Put"))));
}

TEST(Semantics, a_run_without_volumes_says_so) {
  MemorySource program(1);
  program.description().counter.unit = trace::VolumeUnit::none;
  EXPECT_THAT(run(program).notes, Contains(HasSubstr("no computation was recorded")));
}

TEST(Semantics, an_ordinary_run_has_no_notes) {
  MemorySource program(2);
  program.add(0, send_to(1));
  program.add(1, receive_from(0));
  const Result result = run(program);
  EXPECT_THAT(result.notes, IsEmpty());
  EXPECT_EQ(result.actions, 4U);
}

/// Returns what a replay tells of its progress.
std::vector<std::uint64_t> told_progress(const MemorySource& program, std::size_t lanes) {
  const Network machine = flat_machine(1, std::vector(lanes, unit));
  ReplayOptions options;
  std::vector<std::uint64_t> told;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(total, 3000001U);
    told.push_back(done);
  };
  EXPECT_EQ(replay(program, machine, options).actions, 3000001U);
  return told;
}

TEST(Semantics, progress_goes_from_nothing_to_the_number_of_actions_and_is_told_oftener_of_many_lanes) {
  MemorySource program(1);
  for (int count = 0; count < 3000000; ++count)
    program.compute(0, 1);
  program.finalize();
  const auto of_one = told_progress(program, 1);
  EXPECT_EQ(of_one.front(), 0U);
  EXPECT_TRUE(std::ranges::is_sorted(of_one));
  EXPECT_EQ(of_one.back(), 3000001U);
  EXPECT_LT(of_one.size(), 10U);
  EXPECT_GT(told_progress(program, 16).size(), 2 * of_one.size());
}

} // namespace
} // namespace timeless::replay::test::semantics_test
