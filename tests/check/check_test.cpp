#include "trace/check.h"

#include "trace/archive/writer.h"
#include "trace/memory_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>
#include <functional>
#include <optional>
#include <random>

namespace timeless::trace {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A program under test, with short names for what ranks do.
class Program : public MemorySource {
public:
  using MemorySource::MemorySource;

  void send(Rank from, Rank to, Bytes bytes = 8, Tag tag = 0, CommunicatorId communicator = world_communicator) {
    add(from, {.kind = ActionKind::send, .communicator = communicator, .peer = to, .tag = tag, .bytes = bytes});
  }
  void receive(Rank at, Rank from, Bytes bytes = 8, Tag tag = 0, CommunicatorId communicator = world_communicator) {
    add(at, {.kind = ActionKind::receive, .communicator = communicator, .peer = from, .tag = tag, .bytes = bytes});
  }
  void isend(Rank from, Rank to, RequestId request, Bytes bytes = 8, Tag tag = 0) {
    add(from, {.kind = ActionKind::send, .peer = to, .tag = tag, .bytes = bytes, .request = request});
  }
  void irecv(Rank at, Rank from, RequestId request, Bytes bytes = 8, Tag tag = 0) {
    add(at, {.kind = ActionKind::receive, .peer = from, .tag = tag, .bytes = bytes, .request = request});
  }
  void resolve(Rank at, RequestId request, Rank from, Bytes bytes, Tag tag = 0) {
    add(at, {.kind = ActionKind::resolved, .peer = from, .tag = tag, .bytes = bytes, .request = request});
  }
  void wait(Rank at, std::vector<RequestId> requests) { add(at, {.kind = ActionKind::wait_all, .requests = requests}); }
  void all(const Action& action, CommunicatorId communicator = world_communicator) {
    for (const Rank rank : run().communicators[communicator].members) {
      Action mine = action;
      mine.communicator = communicator;
      add(rank, mine);
    }
  }
};

void expect_clean(const Program& program) {
  const CheckReport report = check(program);
  EXPECT_EQ(report.inconsistent, 0U);
  EXPECT_EQ(report.incomplete, 0U);
  for (const Finding& finding : report.findings)
    ADD_FAILURE() << name(finding.severity) << " rank " << finding.rank << " action " << finding.action << ": "
                  << finding.words;
}

/// The one thing found, which must be of this severity.
Finding only_finding(const Program& program, Severity severity = Severity::inconsistent) {
  const CheckReport report = check(program);
  EXPECT_EQ(report.findings.size(), 1U);
  if (report.findings.empty()) return {};
  for (const Finding& finding : report.findings)
    EXPECT_EQ(finding.severity, severity) << "rank " << finding.rank << ": " << finding.words;
  return report.findings.front();
}

// Messages

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

// Requests

TEST(CheckRequests, a_request_never_completed_is_found) {
  Program program(2);
  program.isend(0, 1, 3);
  program.receive(1, 0);
  program.finalize();
  const Finding finding = only_finding(program);
  EXPECT_EQ(finding.rank, 0);
  EXPECT_THAT(finding.words, HasSubstr("finalizes with 1 request under way, the first from Isend (its action 0)"));
}

TEST(CheckRequests, a_request_freed_counts_as_ended) {
  Program program(2);
  program.isend(0, 1, 3);
  program.add(0, {.kind = ActionKind::request_free, .request = 3});
  program.receive(1, 0);
  program.finalize();
  expect_clean(program);
}

TEST(CheckRequests, a_persistent_request_may_be_freed_before_it_starts_or_once_it_is_complete) {
  Program program(2);
  program.add(0, {.kind = ActionKind::request_free, .request = 5});
  program.isend(0, 1, 3);
  program.wait(0, {3});
  program.add(0, {.kind = ActionKind::request_free, .request = 3});
  program.receive(1, 0);
  program.finalize();
  expect_clean(program);
}

TEST(CheckRequests, what_is_cancelled_must_be_under_way) {
  Program program(1);
  program.add(0, {.kind = ActionKind::cancelled, .request = 5});
  program.finalize();
  EXPECT_THAT(only_finding(program).words, HasSubstr("cancels request 5, which is not under way"));
}

TEST(CheckRequests, a_collective_can_be_neither_freed_nor_cancelled) {
  for (const auto& [kind, words] :
       {std::pair{ActionKind::request_free, "frees request 3, which is under way for Ibarrier"},
        std::pair{ActionKind::cancelled, "cancels request 3, which is under way for Ibarrier"}}) {
    Program program(1);
    program.add(0, {.kind = ActionKind::barrier, .request = 3});
    program.add(0, {.kind = kind, .request = 3});
    if (kind == ActionKind::cancelled) program.wait(0, {3});
    program.finalize();
    EXPECT_THAT(only_finding(program).words, HasSubstr(words));
  }
}

TEST(CheckRequests, a_request_completed_twice_is_found) {
  Program program(2);
  program.isend(0, 1, 3);
  program.wait(0, {3});
  program.wait(0, {3});
  program.receive(1, 0);
  program.finalize();
  EXPECT_EQ(only_finding(program).action, 2U);
}

TEST(CheckRequests, a_request_used_again_before_it_completed_is_found) {
  Program program(2);
  program.isend(0, 1, 3);
  program.isend(0, 1, 3);
  program.wait(0, {3});
  program.receive(1, 0);
  program.receive(1, 0);
  program.finalize();
  EXPECT_THAT(check(program).findings.front().words,
              HasSubstr("takes request 3, which Isend (its action 0) still has"));
}

TEST(CheckRequests, a_persistent_request_keeps_its_number_through_its_starts) {
  Program program(2);
  for (int start = 0; start < 3; ++start) {
    program.add(0, {.kind = ActionKind::send, .flags = flag_persistent, .peer = 1, .bytes = 8, .request = 0});
    program.wait(0, {0});
    program.receive(1, 0);
  }
  program.finalize();
  expect_clean(program);
}

// Collectives

TEST(CheckCollectives, called_alike_by_all_are_clean_and_counted) {
  Program program(4);
  const CommunicatorId odd = program.add_communicator({1, 3});
  for (int round = 0; round < 20; ++round) {
    program.all({.kind = ActionKind::barrier});
    program.all({.kind = ActionKind::broadcast, .peer = 2, .bytes = 64});
    program.all({.kind = ActionKind::allreduce, .bytes = 8}, odd);
    program.all({.kind = ActionKind::allreduce, .bytes = 8, .request = 0});
    for (Rank rank = 0; rank < 4; ++rank)
      program.wait(rank, {0});
  }
  program.finalize();
  expect_clean(program);
  EXPECT_EQ(check(program).collectives, 80U);
}

TEST(CheckCollectives, another_kind_at_the_same_place_is_found_once) {
  Program program(3);
  for (int round = 0; round < 5; ++round) {
    for (Rank rank = 0; rank < 3; ++rank) {
      const bool reversed = rank == 1 && round == 2;
      program.add(rank, {.kind = reversed ? ActionKind::allreduce : ActionKind::barrier});
      program.add(rank, {.kind = reversed ? ActionKind::barrier : ActionKind::allreduce});
    }
  }
  program.finalize();
  const Finding finding = only_finding(program);
  EXPECT_EQ(finding.rank, 1);
  EXPECT_EQ(finding.action, 4U);
  EXPECT_THAT(finding.words, HasSubstr("calls Allreduce on MPI_COMM_WORLD where rank 0 calls Barrier (its action 4)"));
}

TEST(CheckCollectives, a_nonblocking_one_does_not_meet_a_blocking_one) {
  Program program(2);
  program.add(0, {.kind = ActionKind::barrier});
  program.add(1, {.kind = ActionKind::barrier, .request = 0});
  program.wait(1, {0});
  program.finalize();
  EXPECT_THAT(only_finding(program).words, HasSubstr("calls Ibarrier on MPI_COMM_WORLD where rank 0 calls Barrier"));
}

TEST(CheckCollectives, another_root_is_found) {
  Program program(2);
  program.add(0, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 8});
  program.add(1, {.kind = ActionKind::broadcast, .peer = 1, .bytes = 8});
  program.finalize();
  EXPECT_THAT(only_finding(program).words, HasSubstr("with root 1 where rank 0"));
}

TEST(CheckCollectives, a_root_outside_the_communicator_is_found) {
  Program program(2);
  program.all({.kind = ActionKind::broadcast, .peer = 2, .bytes = 8});
  program.finalize();
  EXPECT_THAT(check(program).findings.front().words, HasSubstr("names root 2 in a communicator of 2"));
}

TEST(CheckCollectives, a_call_a_member_never_makes_is_found) {
  Program program(3);
  program.all({.kind = ActionKind::barrier});
  program.add(0, {.kind = ActionKind::barrier});
  program.add(2, {.kind = ActionKind::barrier});
  program.finalize();
  EXPECT_THAT(only_finding(program).words, HasSubstr("calls Barrier on MPI_COMM_WORLD, and 1 member of 3 never do"));
}

TEST(CheckCollectives, another_size_is_found_in_every_kind_with_one_size) {
  for (const ActionKind kind : {ActionKind::broadcast, ActionKind::reduce, ActionKind::allreduce, ActionKind::scan,
                                ActionKind::exscan, ActionKind::reduce_scatter_block}) {
    Program program(3);
    const Rank root = kind == ActionKind::broadcast || kind == ActionKind::reduce ? 0 : no_rank;
    for (Rank rank = 0; rank < 3; ++rank)
      program.add(rank, {.kind = kind, .peer = root, .bytes = rank == 2 ? 16U : 8U});
    program.finalize();
    EXPECT_THAT(only_finding(program).words, HasSubstr("with 16 bytes where rank 0 has 8")) << name(kind);
  }
}

/// A v-collective over three ranks; `change` may spoil one rank's action before it is added.
using Change = std::function<void(Rank, Action&, std::vector<Bytes>&, std::vector<Bytes>&)>;

Program vector_collective(ActionKind kind, const Change& change) {
  const auto bytes = [](Rank from, Rank to) { return static_cast<Bytes>(10 * from + to + 1); };
  Program program(3);
  for (Rank rank = 0; rank < 3; ++rank) {
    Action action{.kind = kind};
    std::vector<Bytes> counts;
    std::vector<Bytes> receive_counts;
    const bool root = rank == 1;
    for (Rank other = 0; other < 3; ++other) {
      if (kind == ActionKind::gatherv && root) receive_counts.push_back(bytes(other, 1));
      if (kind == ActionKind::scatterv && root) counts.push_back(bytes(1, other));
      if (kind == ActionKind::allgatherv) receive_counts.push_back(bytes(other, 0));
      if (kind == ActionKind::reduce_scatter) counts.push_back(bytes(0, other));
      if (kind == ActionKind::alltoallv) {
        counts.push_back(bytes(rank, other));
        receive_counts.push_back(bytes(other, rank));
      }
    }
    if (kind == ActionKind::gatherv || kind == ActionKind::scatterv) action.peer = 1;
    if (kind == ActionKind::gatherv) action.bytes = bytes(rank, 1);
    if (kind == ActionKind::allgatherv) action.bytes = bytes(rank, 0);
    if (kind == ActionKind::scatterv) action.receive_bytes = bytes(1, rank);
    if (change) change(rank, action, counts, receive_counts);
    action.counts = counts;
    action.receive_counts = receive_counts;
    program.add(rank, action);
  }
  program.finalize();
  return program;
}

TEST(CheckCollectives, sizes_per_rank_that_fit_are_clean) {
  for (const ActionKind kind : {ActionKind::gatherv, ActionKind::scatterv, ActionKind::allgatherv,
                                ActionKind::alltoallv, ActionKind::reduce_scatter})
    expect_clean(vector_collective(kind, {}));
}

TEST(CheckCollectives, one_size_per_rank_that_does_not_fit_is_found) {
  const auto at = [](Rank spoilt, std::function<void(Action&, std::vector<Bytes>&, std::vector<Bytes>&)> spoil) {
    return [spoilt, spoil](Rank rank, Action& action, std::vector<Bytes>& counts, std::vector<Bytes>& receive_counts) {
      if (rank == spoilt) spoil(action, counts, receive_counts);
    };
  };
  only_finding(vector_collective(ActionKind::gatherv, at(2, [](Action& action, auto&, auto&) { ++action.bytes; })));
  only_finding(vector_collective(ActionKind::gatherv, at(1, [](Action&, auto&, auto& counts) { ++counts[0]; })));
  only_finding(
      vector_collective(ActionKind::scatterv, at(0, [](Action& action, auto&, auto&) { ++action.receive_bytes; })));
  only_finding(vector_collective(ActionKind::scatterv, at(1, [](Action&, auto& counts, auto&) { ++counts[2]; })));
  only_finding(vector_collective(ActionKind::allgatherv, at(2, [](Action& action, auto&, auto&) { ++action.bytes; })));
  only_finding(vector_collective(ActionKind::allgatherv, at(2, [](Action&, auto&, auto& counts) { ++counts[0]; })));
  only_finding(vector_collective(ActionKind::alltoallv, at(2, [](Action&, auto& counts, auto&) { ++counts[1]; })));
  only_finding(vector_collective(ActionKind::alltoallv, at(0, [](Action&, auto&, auto& counts) { ++counts[1]; })));
  // Swapped between two receivers: the sum of bytes is as before.
  only_finding(vector_collective(ActionKind::alltoallv,
                                 at(0, [](Action&, auto& counts, auto&) { std::swap(counts[1], counts[2]); })));
  only_finding(vector_collective(ActionKind::reduce_scatter, at(1, [](Action&, auto& counts, auto&) { ++counts[0]; })));
  only_finding(
      vector_collective(ActionKind::alltoallv, at(1, [](Action&, auto& counts, auto&) { counts.pop_back(); })));
}

TEST(CheckCollectives, in_place_ranks_give_no_size_of_their_own) {
  Program program(2);
  program.add(0, {.kind = ActionKind::gather, .flags = flag_in_place, .peer = 0, .receive_bytes = 8});
  program.add(1, {.kind = ActionKind::gather, .peer = 0, .bytes = 8});
  for (Rank rank = 0; rank < 2; ++rank)
    program.add(rank, {.kind = ActionKind::allgather, .flags = flag_in_place, .receive_bytes = 24});
  program.finalize();
  expect_clean(program);
}

TEST(CheckCollectives, creating_a_communicator_is_collective_over_its_parent) {
  Program program(4);
  const CommunicatorId even = program.add_communicator({0, 2});
  const CommunicatorId odd = program.add_communicator({1, 3});
  for (Rank rank = 0; rank < 4; ++rank) {
    program.add(rank, {.kind = ActionKind::comm_split, .new_communicator = rank % 2 == 0 ? even : odd});
    program.add(rank, {.kind = ActionKind::comm_free, .communicator = rank % 2 == 0 ? even : odd});
  }
  program.finalize();
  expect_clean(program);
}

TEST(CheckCollectives, creating_one_from_a_group_concerns_the_group_only) {
  Program program(4);
  const CommunicatorId pair = program.add_communicator({1, 2});
  program.add(1, {.kind = ActionKind::comm_create_group, .new_communicator = pair});
  program.all({.kind = ActionKind::barrier});
  program.add(2, {.kind = ActionKind::comm_create_group, .new_communicator = pair});
  program.finalize();
  expect_clean(program);
}

TEST(CheckCollectives, getting_a_communicator_without_being_a_member_is_found) {
  Program program(2);
  const CommunicatorId self = program.add_communicator({0});
  program.add(0, {.kind = ActionKind::comm_split, .new_communicator = self});
  program.add(1, {.kind = ActionKind::comm_split, .new_communicator = self});
  program.finalize();
  EXPECT_THAT(only_finding(program).words, HasSubstr("of which it is no member"));
}

// One-sided communication

/// Three ranks with a window, of which `transfers` says what rank 0 does.
Program window_program(const std::function<void(Program&, CommunicatorId)>& transfers) {
  Program program(3);
  const CommunicatorId window = program.add_communicator({0, 1, 2});
  program.all({.kind = ActionKind::win_create, .new_communicator = window});
  transfers(program, window);
  program.all({.kind = ActionKind::win_free}, window);
  program.finalize();
  return program;
}

TEST(CheckWindows, epochs_and_transfers_that_fit_are_clean) {
  const std::vector<Rank> others = {1, 2};
  const std::vector<Rank> origin = {0};
  expect_clean(window_program([&](Program& program, CommunicatorId window) {
    program.all({.kind = ActionKind::win_fence}, window);
    program.add(0, {.kind = ActionKind::put, .communicator = window, .peer = 2, .bytes = 8});
    program.add(0, {.kind = ActionKind::get, .communicator = window, .peer = 0, .receive_bytes = 8, .request = 0});
    program.wait(0, {0});
    program.all({.kind = ActionKind::win_fence}, window);
    for (int round = 0; round < 2; ++round) {
      program.add(0, {.kind = ActionKind::win_start, .communicator = window, .ranks = others});
      program.add(0, {.kind = ActionKind::win_complete, .communicator = window});
      for (const Rank other : others)
        program.add(other, {.kind = ActionKind::win_post, .communicator = window, .ranks = origin});
      program.add(1, {.kind = ActionKind::win_wait, .communicator = window});
      program.add(2, {.kind = ActionKind::win_test, .communicator = window});
      program.add(0, {.kind = ActionKind::win_lock, .communicator = window, .peer = 1});
      program.add(0, {.kind = ActionKind::win_lock, .communicator = window, .peer = 2});
      program.add(0, {.kind = ActionKind::win_flush, .communicator = window, .peer = 2});
      program.add(0, {.kind = ActionKind::win_unlock, .communicator = window, .peer = 1});
      program.add(0, {.kind = ActionKind::win_unlock, .communicator = window, .peer = 2});
      program.add(0, {.kind = ActionKind::win_lock_all, .communicator = window});
      program.add(0, {.kind = ActionKind::win_flush_all, .communicator = window});
      program.add(0, {.kind = ActionKind::win_unlock_all, .communicator = window});
    }
  }));
}

TEST(CheckWindows, a_target_outside_the_window_is_found) {
  const auto found = [](const Action& action) {
    return only_finding(window_program([&](Program& program, CommunicatorId window) {
             Action here = action;
             here.communicator = window;
             program.add(0, here);
           }))
        .words;
  };
  EXPECT_THAT(found({.kind = ActionKind::put, .peer = 3}), HasSubstr("has as its target rank 3"));
  EXPECT_THAT(found({.kind = ActionKind::get, .peer = no_rank}), HasSubstr("has as its target rank -1"));
  EXPECT_THAT(found({.kind = ActionKind::win_flush, .peer = no_rank}), HasSubstr("has as its target rank -1"));
}

TEST(CheckWindows, a_group_outside_the_window_is_found) {
  const std::vector<Rank> group = {3};
  const Finding finding = only_finding(window_program([&](Program& program, CommunicatorId window) {
    program.add(0, {.kind = ActionKind::win_start, .communicator = window, .ranks = group});
    program.add(0, {.kind = ActionKind::win_complete, .communicator = window});
  }));
  EXPECT_THAT(finding.words, HasSubstr("has in its group rank 3 of communicator 1, which has 3"));
}

/// Rank 2 starts an epoch of access to rank 0 twice, which posts so many.
Program posting_program(int posts) {
  const std::vector<Rank> origin = {2};
  const std::vector<Rank> target = {0};
  return window_program([&](Program& program, CommunicatorId window) {
    for (int epoch = 0; epoch < 2; ++epoch) {
      program.add(2, {.kind = ActionKind::win_start, .communicator = window, .ranks = target});
      program.add(2, {.kind = ActionKind::win_complete, .communicator = window});
    }
    for (int epoch = 0; epoch < posts; ++epoch) {
      program.add(0, {.kind = ActionKind::win_post, .communicator = window, .ranks = origin});
      program.add(0, {.kind = ActionKind::win_wait, .communicator = window});
    }
  });
}

TEST(CheckWindows, an_epoch_of_a_group_that_the_other_side_does_not_open_is_found) {
  expect_clean(posting_program(2));
  const Finding start = only_finding(posting_program(1));
  EXPECT_EQ(start.rank, 2);
  EXPECT_THAT(start.words, HasSubstr("starts 1 epoch of access on communicator 1 that rank 0 never posts"));
  const Finding post = only_finding(posting_program(4));
  EXPECT_EQ(post.rank, 0);
  EXPECT_THAT(post.words, HasSubstr("posts 2 epochs of exposure on communicator 1 that rank 2 never starts"));
}

TEST(CheckWindows, an_epoch_of_a_group_with_a_rank_that_was_cut_short_is_no_contradiction) {
  Program program = posting_program(1);
  program.description().ranks[0].ending = Ending::unknown;
  EXPECT_EQ(check(program).inconsistent, 0U);
  EXPECT_EQ(check(program).incomplete, 1U);
}

TEST(CheckWindows, the_end_of_an_epoch_that_has_not_begun_is_found) {
  const auto found = [](ActionKind kind, Rank target = no_rank) {
    return only_finding(window_program([&](Program& program, CommunicatorId window) {
             program.add(0, {.kind = kind, .communicator = window, .peer = target});
           }))
        .words;
  };
  EXPECT_THAT(found(ActionKind::win_complete), HasSubstr("calls Win_complete on communicator 1 without MPI_Win_start"));
  EXPECT_THAT(found(ActionKind::win_wait), HasSubstr("calls Win_wait on communicator 1 without MPI_Win_post"));
  EXPECT_THAT(found(ActionKind::win_test), HasSubstr("calls Win_test on communicator 1 without MPI_Win_post"));
  EXPECT_THAT(found(ActionKind::win_unlock_all), HasSubstr("without MPI_Win_lock_all"));
  EXPECT_THAT(found(ActionKind::win_unlock, 1), HasSubstr("for rank 1, which it has not locked"));
}

TEST(CheckWindows, an_epoch_within_itself_is_found) {
  const auto found = [](ActionKind begin, ActionKind end, Rank target = no_rank) {
    return only_finding(window_program([&](Program& program, CommunicatorId window) {
             program.add(0, {.kind = begin, .communicator = window, .peer = target});
             program.add(0, {.kind = begin, .communicator = window, .peer = target});
             program.add(0, {.kind = end, .communicator = window, .peer = target});
           }))
        .words;
  };
  EXPECT_THAT(found(ActionKind::win_start, ActionKind::win_complete), HasSubstr("before the end of the last"));
  EXPECT_THAT(found(ActionKind::win_post, ActionKind::win_wait), HasSubstr("before the end of the last"));
  EXPECT_THAT(found(ActionKind::win_lock_all, ActionKind::win_unlock_all), HasSubstr("a second time"));
  EXPECT_THAT(found(ActionKind::win_lock, ActionKind::win_unlock, 2), HasSubstr("rank 2, which it has locked already"));
}

TEST(CheckWindows, a_window_freed_with_an_epoch_open_is_found) {
  const auto found = [](ActionKind begin, Rank target = no_rank) {
    const Finding finding = only_finding(window_program([&](Program& program, CommunicatorId window) {
      program.add(0, {.kind = begin, .communicator = window, .peer = target});
    }));
    EXPECT_EQ(finding.action, 2U);
    return finding.words;
  };
  EXPECT_THAT(found(ActionKind::win_start), HasSubstr("calls Win_free on communicator 1 with an epoch open"));
  EXPECT_THAT(found(ActionKind::win_post), HasSubstr("with an epoch open"));
  EXPECT_THAT(found(ActionKind::win_lock_all), HasSubstr("with an epoch open"));
  EXPECT_THAT(found(ActionKind::win_lock, 1), HasSubstr("with an epoch open"));
}

TEST(CheckWindows, a_window_used_after_it_has_been_freed_is_found) {
  Program program(2);
  const CommunicatorId window = program.add_communicator({0, 1});
  program.all({.kind = ActionKind::win_allocate, .bytes = 8, .new_communicator = window});
  program.all({.kind = ActionKind::win_free}, window);
  program.add(1, {.kind = ActionKind::put, .communicator = window, .peer = 0, .bytes = 8});
  program.finalize();
  EXPECT_THAT(only_finding(program).words, HasSubstr("calls Put on communicator 1 after the window has been freed"));
}

TEST(CheckWindows, making_fencing_and_freeing_one_is_collective) {
  Program program(3);
  const CommunicatorId window = program.add_communicator({0, 1, 2});
  program.all({.kind = ActionKind::win_create, .new_communicator = window});
  for (const Rank rank : {0, 2})
    program.add(rank, {.kind = ActionKind::win_fence, .communicator = window});
  program.finalize();
  const CheckReport report = check(program);
  EXPECT_EQ(report.inconsistent, 1U);
  EXPECT_EQ(report.notes, 3U) << "nobody frees it";
  const auto contradiction = std::ranges::find(report.findings, Severity::inconsistent, &Finding::severity);
  EXPECT_THAT(contradiction->words, AllOf(HasSubstr("calls Win_fence"), HasSubstr("1 member of 3 never do")));
}

TEST(CheckWindows, an_epoch_open_at_the_end_is_found) {
  const auto found = [](ActionKind begin, Rank target = no_rank) {
    Program program(2);
    const CommunicatorId window = program.add_communicator({0, 1}); // made while recording was off
    program.add(1, {.kind = begin, .communicator = window, .peer = target});
    program.finalize();
    const Finding finding = only_finding(program);
    EXPECT_EQ(finding.rank, 1);
    return finding.words;
  };
  EXPECT_THAT(found(ActionKind::win_lock, 0), HasSubstr("finalizes with a lock of rank 0 open on communicator 1"));
  EXPECT_THAT(found(ActionKind::win_lock_all), HasSubstr("a lock of all ranks"));
  EXPECT_THAT(found(ActionKind::win_start), HasSubstr("an access epoch"));
  EXPECT_THAT(found(ActionKind::win_post), HasSubstr("an exposure epoch"));
}

TEST(CheckWindows, windows_never_freed_and_files_never_closed_are_notes) {
  Program program(1);
  const CommunicatorId window = program.add_communicator({0});
  const CommunicatorId file = program.add_communicator({0});
  const CommunicatorId closed = program.add_communicator({0});
  program.all({.kind = ActionKind::win_allocate, .new_communicator = window});
  program.all({.kind = ActionKind::file_open, .new_communicator = closed});
  program.all({.kind = ActionKind::file_close}, closed);
  program.all({.kind = ActionKind::file_open, .new_communicator = file});
  program.finalize();
  const CheckReport report = check(program);
  ASSERT_EQ(report.findings.size(), 2U);
  EXPECT_EQ(report.notes, 2U);
  EXPECT_THAT(report.findings[0].words, HasSubstr("never frees the window of communicator 1"));
  EXPECT_THAT(report.findings[1].words, HasSubstr("never closes the file of communicator 2"));
}

// Of an epoch that began while recording was off there is neither half, and nothing to find.
TEST(CheckWindows, transfers_need_no_epoch_in_the_trace) {
  expect_clean(window_program([](Program& program, CommunicatorId window) {
    program.add(0, {.kind = ActionKind::put, .communicator = window, .peer = 1, .bytes = 8});
  }));
}

// Ends

TEST(CheckEnds, a_rank_without_finalize_is_found) {
  Program program(2);
  program.compute(0, 1);
  program.description().ranks[0].ending = Ending::finalized;
  program.description().ranks[1].ending = Ending::finalized;
  program.add(1, {.kind = ActionKind::finalize});
  const Finding finding = only_finding(program);
  EXPECT_EQ(finding.rank, 0);
  EXPECT_THAT(finding.words, HasSubstr("ends without MPI_Finalize"));
}

TEST(CheckEnds, an_action_after_finalize_is_found) {
  Program program(1);
  program.finalize();
  program.add(0, {.kind = ActionKind::barrier});
  EXPECT_THAT(only_finding(program).words, HasSubstr("after MPI_Finalize"));
}

TEST(CheckEnds, a_rank_cut_short_makes_the_run_incomplete_not_inconsistent) {
  Program program(3);
  const CommunicatorId pair = program.add_communicator({0, 2});
  for (int round = 0; round < 3; ++round) {
    program.send(0, 1, 8);
    program.receive(2, 1, 8, 4);
    program.all({.kind = ActionKind::barrier}, pair);
    for (Rank rank = 0; rank < 3; ++rank)
      if (rank != 1 || round == 0) program.add(rank, {.kind = ActionKind::allreduce, .bytes = 8});
  }
  program.receive(1, 0, 8);
  program.irecv(1, 0, 0, 8);
  for (const Rank rank : {0, 2}) {
    program.add(rank, {.kind = ActionKind::finalize});
    program.description().find(rank)->ending = Ending::finalized;
  }
  program.description().find(1)->ending = Ending::stopped;
  program.description().find(1)->ending_reason = "disk full";
  const Finding finding = only_finding(program, Severity::incomplete);
  EXPECT_EQ(finding.rank, 1);
  EXPECT_THAT(finding.words, HasSubstr("disk full"));
}

TEST(CheckEnds, a_missing_rank_makes_the_run_incomplete_not_inconsistent) {
  Program program(3);
  program.send(0, 1, 8);
  program.receive(2, 1, 8);
  for (const Rank rank : {0, 2})
    program.add(rank, {.kind = ActionKind::barrier});
  program.finalize();
  program.description().ranks.erase(program.description().ranks.begin() + 1);
  const Finding finding = only_finding(program, Severity::incomplete);
  EXPECT_EQ(finding.rank, 1);
}

TEST(CheckEnds, what_contradicts_itself_among_the_ranks_present_is_inconsistent_all_the_same) {
  Program program(3);
  program.send(0, 2, 8);
  program.finalize();
  program.description().ranks.erase(program.description().ranks.begin() + 1);
  const CheckReport report = check(program);
  EXPECT_EQ(report.incomplete, 1U);
  EXPECT_EQ(report.inconsistent, 1U);
}

TEST(CheckReports, list_so_many_findings_and_count_the_rest) {
  Program program(2);
  for (Tag tag = 0; tag < 100; ++tag)
    program.send(0, 1, 8, tag);
  program.finalize();
  const CheckReport report = check(program, {.most_findings = 10});
  EXPECT_EQ(report.findings.size(), 10U);
  EXPECT_EQ(report.inconsistent, 100U);
}

// Whole programs

/// A consistent program: random messages between random pairs, nonblocking and not, wildcards, collectives, transfers
/// to a window and epochs on it.
Program random_program(unsigned seed, Rank size, int events) {
  std::mt19937 random(seed);
  const auto pick = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
  Program program(size, 64);
  std::vector<std::vector<RequestId>> open(static_cast<std::size_t>(size));
  std::vector<RequestId> next(static_cast<std::size_t>(size));
  const auto fresh = [&](Rank rank) {
    open[static_cast<std::size_t>(rank)].push_back(next[static_cast<std::size_t>(rank)]);
    return next[static_cast<std::size_t>(rank)]++;
  };
  const auto wait_for_all = [&](Rank rank) {
    auto& requests = open[static_cast<std::size_t>(rank)];
    if (!requests.empty()) program.wait(rank, requests);
    requests.clear();
  };
  const CommunicatorId window = program.add_communicator(program.run().communicators[world_communicator].members);
  program.all({.kind = ActionKind::win_create, .new_communicator = window});
  for (int event = 0; event < events; ++event) {
    const Rank from = pick(size);
    const Rank to = pick(size);
    const auto bytes = static_cast<Bytes>(pick(1000));
    const Tag tag = pick(3);
    switch (pick(12)) {
    case 8:
      program.all({.kind = ActionKind::win_fence}, window);
      break;
    case 9:
      program.add(from, {.kind = ActionKind::win_lock, .communicator = window, .peer = to});
      program.add(from, {.kind = ActionKind::put, .communicator = window, .peer = to, .bytes = bytes});
      program.add(from, {.kind = ActionKind::win_unlock, .communicator = window, .peer = to});
      break;
    case 10: {
      const std::vector<Rank> origin = {from};
      const std::vector<Rank> target = {to};
      program.add(to, {.kind = ActionKind::win_post, .communicator = window, .ranks = origin});
      program.add(from, {.kind = ActionKind::win_start, .communicator = window, .ranks = target});
      program.add(from, {.kind = ActionKind::win_complete, .communicator = window});
      program.add(to, {.kind = ActionKind::win_wait, .communicator = window});
      break;
    }
    case 11:
      program.add(from, {.kind = ActionKind::get,
                         .communicator = window,
                         .peer = to,
                         .receive_bytes = bytes,
                         .request = fresh(from)});
      break;
    case 0:
      for (Rank rank = 0; rank < size; ++rank)
        program.add(rank, {.kind = ActionKind::allreduce, .bytes = bytes});
      break;
    case 1:
      program.isend(from, to, fresh(from), bytes, tag);
      program.irecv(to, from, fresh(to), bytes + 4, tag);
      break;
    case 2: {
      const RequestId request = fresh(to);
      program.irecv(to, any_rank, request, 2000, any_tag);
      program.send(from, to, bytes, tag);
      program.resolve(to, request, from, bytes, tag);
      break;
    }
    case 3:
      wait_for_all(from);
      break;
    default:
      program.send(from, to, bytes, tag);
      program.receive(to, from, bytes, tag);
    }
  }
  for (Rank rank = 0; rank < size; ++rank)
    wait_for_all(rank);
  program.all({.kind = ActionKind::win_free}, window);
  program.finalize();
  return program;
}

TEST(CheckPrograms, consistent_random_programs_pass) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const CheckReport report = check(random_program(seed, 2 + static_cast<Rank>(seed % 7), 2000));
    EXPECT_EQ(report.inconsistent, 0U) << "seed " << seed << ": " << report.findings.front().words;
    EXPECT_EQ(report.incomplete, 0U);
  }
}

TEST(CheckPrograms, one_message_too_many_among_thousands_is_found) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Program program = random_program(seed, 5, 2000);
    Program spoilt(5, 64);
    spoilt.description().communicators = program.run().communicators;
    for (Rank rank = 0; rank < 5; ++rank) {
      const auto stream = program.open(rank);
      ActionBlock block;
      while (stream->next(block))
        for_each_action(block, [&](const Action& action, std::uint64_t) {
          if (rank == 2 && action.kind == ActionKind::finalize) spoilt.send(2, 3, 77, 99);
          spoilt.add(rank, action);
        });
      spoilt.description().ranks[static_cast<std::size_t>(rank)].ending = Ending::finalized;
    }
    EXPECT_EQ(check(spoilt).inconsistent, 1U) << "seed " << seed;
  }
}

TEST(CheckPrograms, a_rank_that_runs_far_ahead_is_held_back_and_nothing_is_lost) {
  Program program(40);
  for (int round = 0; round < 2000; ++round)
    for (Rank worker = 1; worker < 40; ++worker) {
      program.send(worker, 0, 8, round % 5);
      program.receive(0, worker, 8, round % 5);
    }
  program.finalize();
  const CheckReport report = check(program);
  EXPECT_EQ(report.findings.size(), 0U);
  EXPECT_EQ(report.messages, 39U * 2000U);
}

TEST(CheckPrograms, receives_posted_beyond_all_bounds_before_any_is_completed_still_meet_their_sends) {
  Program program(2);
  std::vector<RequestId> requests;
  for (RequestId request = 0; request < 40000; ++request) {
    program.irecv(1, 0, request);
    requests.push_back(request);
  }
  program.wait(1, requests);
  for (int message = 0; message < 40000; ++message)
    program.send(0, 1);
  program.finalize();
  EXPECT_EQ(check(program).messages, 40000U);
  EXPECT_EQ(check(program).inconsistent, 0U);
}

// Regions and times

void mark(Program& program, ActionKind kind, RegionId region) {
  program.add(0, {.kind = kind, .region = region});
}

/// One rank, and two regions that it may enter.
Program with_regions() {
  Program program(1);
  program.description().regions = {"outer", "inner"};
  return program;
}

std::vector<std::string> notes(const Program& program) {
  const CheckReport report = check(program);
  EXPECT_EQ(report.inconsistent + report.incomplete, 0U);
  std::vector<std::string> words;
  for (const Finding& finding : report.findings)
    words.push_back(std::to_string(finding.action) + " " + finding.words);
  return words;
}

TEST(CheckRegions, that_are_nested_entered_again_or_overlap_are_fine) {
  Program program = with_regions();
  for (const RegionId region : {0U, 1U, 1U, 0U})
    mark(program, ActionKind::region_begin, region);
  for (const RegionId region : {0U, 1U, 0U, 1U})
    mark(program, ActionKind::region_end, region);
  program.finalize();
  EXPECT_THAT(notes(program), ::testing::IsEmpty());
}

TEST(CheckRegions, an_end_without_a_begin_is_named) {
  Program program = with_regions();
  mark(program, ActionKind::region_begin, 0);
  mark(program, ActionKind::region_end, 1);
  mark(program, ActionKind::region_end, 0);
  mark(program, ActionKind::region_end, 0);
  program.finalize();
  EXPECT_THAT(notes(program), ::testing::ElementsAre("1 ends region 'inner', which it has not begun",
                                                     "3 ends region 'outer', which it has not begun"));
}

TEST(CheckRegions, a_begin_without_an_end_is_named_where_it_stands) {
  Program program = with_regions();
  mark(program, ActionKind::region_begin, 0);
  mark(program, ActionKind::region_begin, 1);
  mark(program, ActionKind::region_end, 0);
  program.finalize();
  EXPECT_THAT(notes(program), ::testing::ElementsAre("1 begins region 'inner' and never ends it"));
}

TEST(CheckRegions, each_thread_ends_its_own) {
  Program program = with_regions();
  const auto thread = [&](Rank number) { program.add(0, {.kind = ActionKind::thread, .peer = number}); };
  mark(program, ActionKind::region_begin, 0);
  thread(1);
  mark(program, ActionKind::region_end, 0);
  thread(0);
  mark(program, ActionKind::region_end, 0);
  program.finalize();
  EXPECT_THAT(notes(program), ::testing::ElementsAre("2 ends region 'outer', which it has not begun"));
}

TEST(CheckRegions, of_a_rank_that_was_cut_short_may_be_open) {
  Program program = with_regions();
  mark(program, ActionKind::region_begin, 0);
  const CheckReport report = check(program);
  EXPECT_EQ(report.notes, 0U);
  EXPECT_EQ(report.incomplete, 1U);
}

TEST(CheckTimes, that_rise_within_each_thread_are_fine) {
  Program program(1);
  const auto action = [&](ActionKind kind, Rank peer, ActionTimes times) {
    program.add(0, {.kind = kind, .peer = peer});
    program.times(0, times);
  };
  action(ActionKind::barrier, no_rank, {0, 100});
  action(ActionKind::thread, 1, {50, 50});
  action(ActionKind::barrier, no_rank, {50, 300});
  action(ActionKind::thread, 0, {100, 100});
  action(ActionKind::barrier, no_rank, {100, 100});
  program.finalize();
  program.times(0, {400, 400});
  expect_clean(program);
}

TEST(CheckTimes, that_fall_back_are_named_once) {
  Program program(1);
  for (const std::uint64_t entry : {100U, 40U, 30U}) {
    program.add(0, {.kind = ActionKind::barrier});
    program.times(0, {entry, entry + 10});
  }
  program.finalize();
  program.times(0, {500, 500});
  const CheckReport report = check(program);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.inconsistent, 1U);
  EXPECT_EQ(report.findings[0].action, 1U);
  EXPECT_EQ(report.findings[0].words, "begins 70 ns before the action before it has ended");
}

TEST(CheckTimes, that_end_before_the_rank_does_are_named) {
  Program program(1, 2);
  for (std::uint64_t entry = 0; entry < 4; ++entry) {
    program.add(0, {.kind = ActionKind::barrier});
    if (entry < 2) program.times(0, {entry, entry});
  }
  program.finalize();
  const CheckReport report = check(program);
  ASSERT_EQ(report.incomplete, 1U);
  EXPECT_EQ(report.findings[0].action, 2U);
  EXPECT_EQ(report.findings[0].words, "has no times from here on");
}

// Archives

TEST(CheckArchives, a_damaged_block_is_a_finding_and_the_rest_is_still_checked) {
  const auto path = std::filesystem::temp_directory_path() / ("timeless-check-" + std::to_string(::getpid()) + ".tia");
  Program program = random_program(1, 3, 2000);
  {
    ArchiveWriter writer(path);
    writer.define(definitions_of(program.run()));
    for (Rank rank = 0; rank < 3; ++rank) {
      const auto stream = program.open(rank);
      ActionBlock block;
      while (stream->next(block))
        writer.write(rank, block);
    }
    writer.finish();
  }
  EXPECT_EQ(check(ArchiveReader(path)).inconsistent, 0U);
  const ArchiveReader archive(path);
  const BlockPlace damaged = archive.stretches(1).at(1).data;
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(damaged.offset + block_header_bytes));
    file.put('\x33');
  }
  const CheckReport report = check(ArchiveReader(path));
  EXPECT_EQ(report.inconsistent, 1U);
  EXPECT_EQ(report.findings.front().rank, 1);
  EXPECT_THAT(report.findings.front().words, HasSubstr("block at byte " + std::to_string(damaged.offset)));

  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 40);
  CheckReport cut;
  add_damage(ArchiveReader(path), cut);
  EXPECT_GE(cut.incomplete, 1U);
  std::filesystem::remove(path);
}

} // namespace
} // namespace timeless::trace
