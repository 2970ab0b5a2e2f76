#include "checked_program.h"

namespace timeless::trace::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Check, asks_nothing_of_what_is_shared_with_another_world) {
  Program program(2);
  const CommunicatorId between = program.add_communicator({0, 1}, {foreign_rank});
  const CommunicatorId merged = program.add_communicator({foreign_rank, 0, 1});
  program.all({.kind = ActionKind::comm_spawn, .peer = 0, .new_communicator = between});
  program.send(0, 0, 8, 0, between);
  program.add(1, {.kind = ActionKind::receive, .communicator = between, .peer = 0, .request = 3});
  program.wait(1, {3});
  program.all({.kind = ActionKind::intercomm_merge, .new_communicator = merged}, between);
  program.send(1, 0, 8, 0, merged);
  program.add(0, {.kind = ActionKind::barrier, .communicator = merged});
  program.finalize();
  expect_clean(program);
}

TEST(Check, completes_requests_with_another_world_like_others) {
  Program program(1);
  const CommunicatorId between = program.add_communicator({0}, {foreign_rank});
  program.add(0, {.kind = ActionKind::send, .communicator = between, .peer = 0, .request = 0});
  program.finalize();
  EXPECT_THAT(only_finding(program).words, HasSubstr("finalizes with 1 request under way"));
}

TEST(CheckMessages, sent_and_received_in_order_are_clean_and_counted) {
  Program program(2);
  for (Bytes bytes = 1; bytes <= 100; ++bytes) {
    program.send(0, 1, bytes, static_cast<Tag>(bytes % 3));
    program.receive(1, 0, bytes, static_cast<Tag>(bytes % 3));
  }
  program.finalize();
  expect_clean(program);
  const CheckReport report = check(program);
  EXPECT_EQ(report.messages, 100U);
  EXPECT_EQ(report.message_bytes, 5050U);
  EXPECT_EQ(report.actions, 202U);
}

TEST(CheckMessages, tags_may_be_received_in_another_order_than_sent) {
  Program program(2);
  program.send(0, 1, 8, 1);
  program.send(0, 1, 16, 2);
  program.receive(1, 0, 16, 2);
  program.receive(1, 0, 8, 1);
  program.finalize();
  expect_clean(program);
}

TEST(CheckMessages, a_send_nobody_receives_is_found) {
  Program program(2);
  program.send(0, 1);
  program.receive(1, 0);
  program.send(0, 1);
  program.send(0, 1);
  program.finalize();
  const Finding finding = only_finding(program);
  EXPECT_EQ(finding.rank, 0);
  EXPECT_EQ(finding.action, 1U);
  EXPECT_THAT(finding.words, HasSubstr("sends 2 messages to rank 1 that it does not receive"));
}

TEST(CheckMessages, a_receive_nobody_sends_to_is_found) {
  Program program(2);
  program.compute(1, 5);
  program.receive(1, 0, 8, 7);
  program.finalize();
  const Finding finding = only_finding(program);
  EXPECT_EQ(finding.rank, 1);
  EXPECT_EQ(finding.action, 1U);
  EXPECT_THAT(finding.words, AllOf(HasSubstr("1 message from rank 0 that it does not send"), HasSubstr("tag 7")));
}

TEST(CheckMessages, a_message_in_another_communicator_is_another_message) {
  Program program(2);
  const CommunicatorId twin = program.add_communicator({0, 1});
  program.send(0, 1, 8, 0, twin);
  program.receive(1, 0);
  program.finalize();
  EXPECT_EQ(check(program).inconsistent, 2U);
}

TEST(CheckMessages, bytes_lost_on_the_way_are_found_with_both_actions) {
  Program program(2);
  program.send(0, 1, 100);
  program.receive(1, 0, 96);
  program.finalize();
  const Finding finding = only_finding(program);
  EXPECT_EQ(finding.rank, 1);
  EXPECT_EQ(finding.action, 0U);
  EXPECT_THAT(finding.words, HasSubstr("receives 96 bytes of the 100 that rank 0 sent at its action 0"));
}

TEST(CheckMessages, a_blocking_receive_of_more_bytes_than_sent_is_found) {
  Program program(2);
  program.send(0, 1, 96);
  program.receive(1, 0, 100);
  program.finalize();
  only_finding(program);
}

TEST(CheckMessages, a_nonblocking_receive_may_tell_its_buffers_size_but_not_less_than_came) {
  Program program(2);
  program.send(0, 1, 96);
  program.irecv(1, 0, 0, 100);
  program.wait(1, {0});
  program.finalize();
  EXPECT_EQ(check(program).inconsistent, 0U);
  EXPECT_EQ(check(program).notes, 1U);

  Program shorter(2);
  shorter.send(0, 1, 96);
  shorter.irecv(1, 0, 0, 95);
  shorter.wait(1, {0});
  shorter.finalize();
  only_finding(shorter);
}

TEST(CheckMessages, exchanges_have_two_halves) {
  Program program(3);
  for (Rank rank = 0; rank < 3; ++rank)
    program.add(rank, {.kind = ActionKind::exchange,
                       .peer = (rank + 1) % 3,
                       .tag = 4,
                       .bytes = static_cast<Bytes>(rank),
                       .receive_peer = (rank + 2) % 3,
                       .receive_tag = 4,
                       .receive_bytes = static_cast<Bytes>((rank + 2) % 3)});
  // Nobody at the far end.
  program.add(0, {.kind = ActionKind::exchange_replace, .peer = 1, .bytes = 5, .receive_peer = no_rank});
  program.add(1, {.kind = ActionKind::exchange_replace, .peer = no_rank, .receive_peer = 0, .receive_bytes = 5});
  program.finalize();
  expect_clean(program);
}

TEST(CheckMessages, peers_are_ranks_of_the_communicator) {
  Program program(4);
  const CommunicatorId backwards = program.add_communicator({3, 2, 1, 0});
  program.send(0, 0, 8, 0, backwards);
  program.receive(3, 3, 8, 0, backwards);
  program.finalize();
  expect_clean(program);
}

TEST(CheckMessages, between_the_groups_of_an_intercommunicator_peers_are_of_the_other_group) {
  Program program(4);
  const CommunicatorId inter = program.add_communicator({0, 1}, {2, 3});
  program.send(0, 1, 8, 0, inter);
  program.receive(3, 0, 8, 0, inter);
  program.send(2, 1, 16, 0, inter);
  program.receive(1, 0, 16, 0, inter);
  program.finalize();
  expect_clean(program);
}

TEST(CheckMessages, a_peer_outside_the_communicator_is_found) {
  Program program(3);
  const CommunicatorId pair = program.add_communicator({0, 1});
  program.send(0, 2, 8, 0, pair);
  program.finalize();
  EXPECT_THAT(only_finding(program).words, HasSubstr("sends to rank 2 of communicator 1, which has 2"));
}

TEST(CheckMessages, a_communicator_is_for_members_only) {
  Program program(3);
  const CommunicatorId pair = program.add_communicator({0, 1});
  program.send(2, 0, 8, 0, pair);
  program.add(2, {.kind = ActionKind::barrier, .communicator = pair});
  program.finalize();
  const CheckReport report = check(program);
  EXPECT_EQ(report.inconsistent, 2U);
  EXPECT_THAT(report.findings.front().words, HasSubstr("of which it is no member"));
}

TEST(CheckMessages, receives_match_in_the_order_posted_not_completed) {
  Program program(2);
  program.irecv(1, 0, 0, 8);
  program.irecv(1, 0, 1, 16);
  program.wait(1, {1});
  program.wait(1, {0});
  program.send(0, 1, 8);
  program.send(0, 1, 16);
  program.finalize();
  expect_clean(program);
}

TEST(CheckMessages, a_wildcard_receive_resolved_later_keeps_its_place_in_line) {
  Program program(3);
  program.irecv(2, any_rank, 0, 100);
  program.receive(2, 0, 16);
  program.resolve(2, 0, 0, 8);
  program.wait(2, {0});
  program.send(0, 2, 8);
  program.send(0, 2, 16);
  program.finalize();
  expect_clean(program);
}

TEST(CheckMessages, wildcards_wait_for_one_another_only_where_they_can_meet) {
  Program program(3);
  program.irecv(2, any_rank, 0, 100, any_tag);
  program.irecv(2, any_rank, 1, 100, 5);
  program.irecv(2, 1, 2, 24, 5);
  program.resolve(2, 1, 1, 16, 5);
  program.resolve(2, 0, 1, 8, 5);
  program.wait(2, {0, 1, 2});
  program.send(1, 2, 8, 5);
  program.send(1, 2, 16, 5);
  program.send(1, 2, 24, 5);
  program.finalize();
  expect_clean(program);
}

TEST(CheckMessages, a_wildcard_receive_completed_without_its_source_is_found) {
  Program program(2);
  program.irecv(1, any_rank, 0);
  program.wait(1, {0});
  program.finalize();
  EXPECT_THAT(only_finding(program).words, HasSubstr("whose source is not told"));
}

TEST(CheckMessages, a_cancelled_receive_takes_no_message) {
  Program program(2);
  program.irecv(1, 0, 0, 64);
  program.irecv(1, 0, 1, 8);
  program.add(1, {.kind = ActionKind::cancelled, .request = 0});
  program.wait(1, {0, 1});
  program.send(0, 1, 8);
  program.finalize();
  expect_clean(program);
}

TEST(CheckMessages, a_cancelled_wildcard_receive_holds_nobody_back) {
  Program program(2);
  program.irecv(1, any_rank, 0, 64);
  program.receive(1, 0, 8);
  program.add(1, {.kind = ActionKind::cancelled, .request = 0});
  program.wait(1, {0});
  program.send(0, 1, 8);
  program.finalize();
  expect_clean(program);
}

TEST(CheckMessages, a_cancelled_send_needs_no_receive) {
  Program program(2);
  program.isend(0, 1, 0);
  program.add(0, {.kind = ActionKind::cancelled, .request = 0});
  program.wait(0, {0});
  program.finalize();
  expect_clean(program);
}

TEST(CheckMessages, a_matched_probe_takes_the_message_its_receive_gets) {
  Program program(2);
  program.send(0, 1, 8);
  program.send(0, 1, 16);
  program.add(1, {.kind = ActionKind::probe, .flags = flag_matched, .peer = 0, .bytes = 8});
  program.receive(1, 0, 16);
  program.add(1, {.kind = ActionKind::receive, .flags = flag_matched, .peer = 0, .bytes = 8});
  program.finalize();
  expect_clean(program);
}

TEST(CheckMessages, a_matched_probe_whose_message_is_never_received_is_found) {
  Program program(2);
  program.send(0, 1, 8);
  program.add(1, {.kind = ActionKind::poll, .flags = flag_matched, .peer = 0, .bytes = 8});
  program.finalize();
  EXPECT_THAT(only_finding(program).words, HasSubstr("never receives 1 message from rank 0"));
}

/// Rank 1 receives messages of these sizes in two threads, by turns; the second has waited for the first each time if
/// they are `ordered`.
void receive_in_two_threads(Program& program, const std::vector<Bytes>& sizes, bool ordered) {
  Rank thread = 0;
  for (const Bytes bytes : sizes) {
    thread = 1 - thread;
    program.add(1, {.kind = ActionKind::thread, .peer = thread});
    if (ordered) program.add(1, {.kind = ActionKind::thread_await, .peer = 0});
    program.receive(1, 0, bytes, 7);
    if (ordered) program.add(1, {.kind = ActionKind::thread_signal, .peer = 0});
  }
}

TEST(CheckMessages, of_several_threads_at_once_may_come_in_another_order) {
  Program program(2);
  for (const Bytes bytes : {1, 2, 3, 4, 5, 6})
    program.send(0, 1, bytes, 7);
  receive_in_two_threads(program, {2, 1, 4, 6, 5, 3}, false);
  program.finalize();
  const Finding finding = only_finding(program, Severity::note);
  EXPECT_EQ(finding.rank, 1);
  EXPECT_THAT(finding.words, HasSubstr("5 messages in several threads at once"));
  EXPECT_EQ(check(program).messages, 6U);
}

TEST(CheckMessages, sent_by_several_threads_at_once_may_come_in_another_order) {
  Program program(2);
  for (const Rank thread : {0, 1, 0, 1}) {
    program.add(0, {.kind = ActionKind::thread, .peer = thread});
    program.send(0, 1, static_cast<Bytes>(10 + thread), 7);
  }
  for (const Bytes bytes : {11, 11, 10, 10})
    program.receive(1, 0, bytes, 7);
  program.finalize();
  EXPECT_EQ(only_finding(program, Severity::note).rank, 0);
}

TEST(CheckMessages, of_threads_that_wait_for_each_other_come_in_their_order) {
  Program program(2);
  for (const Bytes bytes : {1, 2})
    program.send(0, 1, bytes, 7);
  receive_in_two_threads(program, {2, 1}, true);
  program.finalize();
  const CheckReport report = check(program);
  EXPECT_EQ(report.inconsistent, 2U);
  EXPECT_EQ(report.notes, 0U);
}

TEST(CheckMessages, of_several_threads_at_once_have_the_sizes_sent) {
  Program program(2);
  for (const Bytes bytes : {1, 2, 3, 4})
    program.send(0, 1, bytes, 7);
  receive_in_two_threads(program, {2, 1, 4, 7}, false);
  program.finalize();
  const CheckReport report = check(program);
  EXPECT_EQ(report.inconsistent, 1U);
  EXPECT_EQ(report.notes, 1U);
  EXPECT_EQ(report.messages, 4U);
}

TEST(CheckMessages, of_several_threads_at_once_are_as_many_as_sent) {
  Program program(2);
  for (const Bytes bytes : {1, 2, 3, 4})
    program.send(0, 1, bytes, 7);
  receive_in_two_threads(program, {4, 3, 1}, false);
  program.finalize();
  const CheckReport report = check(program);
  EXPECT_EQ(report.inconsistent, 1U);
  EXPECT_THAT(report.findings.back().words, HasSubstr("sends 1 message to rank 1 that it does not receive"));
}

} // namespace
} // namespace timeless::trace::test
