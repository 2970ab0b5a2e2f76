#include "machines.h"

#include "replay/replay.h"
#include "trace/model/memory_source.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace timeless::replay::test::ports_test {
namespace {

using trace::ActionKind;

constexpr FlatCosts costs{.latency = 3, .byte_time = 1};

/// Returns a program in which ranks 1 to `senders` send 10 bytes each to rank 0 at once, which takes them with one
/// call.
trace::MemorySource many_to_one(Rank senders) {
  trace::MemorySource program(senders + 1);
  std::vector<trace::RequestId> requests(static_cast<std::size_t>(senders));
  std::iota(requests.begin(), requests.end(), 0U);
  for (Rank sender = 1; sender <= senders; ++sender) {
    program.add(sender, {.kind = ActionKind::send, .peer = 0, .bytes = 10});
    program.add(0, {.kind = ActionKind::receive,
                    .peer = sender,
                    .bytes = 10,
                    .request = requests[static_cast<std::size_t>(sender - 1)]});
  }
  program.add(0, {.kind = ActionKind::wait_all, .requests = requests});
  program.finalize();
  return program;
}

RankTimes receiver(const trace::MemorySource& program, const Network& machine, Ports ports) {
  return replay(program, machine, {.ports = ports, .progress = {}}).lanes[0].ranks[0];
}

TEST(Ports, without_them_eight_messages_come_in_as_fast_as_one) {
  auto machine = flat_machine(9, {costs});
  EXPECT_EQ(receiver(many_to_one(8), machine, Ports::none).end, 3 + 10);
}

TEST(Ports, a_receiver_takes_eight_messages_in_one_after_the_other) {
  auto machine = flat_machine(9, {costs});
  const RankTimes times = receiver(many_to_one(8), machine, Ports::receiver);
  EXPECT_EQ(times.end, 3 + 8 * 10);
  EXPECT_EQ(times.latency, 3);
  EXPECT_EQ(times.bandwidth, 8 * 10);
  EXPECT_EQ(times.wait, 0);
}

TEST(Ports, a_lone_message_is_not_delayed_by_a_port_shared_with_other_ranks) {
  const Network machine = hockney_network({{.name = "", .between_nodes = {3, 1}, .within_node = {0, 0}}},
                                          {.node_of_rank = {0, 1, 0}, .seconds_per_unit = {1}});
  trace::MemorySource program(3);
  program.add(1, {.kind = ActionKind::send, .peer = 0, .bytes = 10});
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .bytes = 10});
  program.finalize();
  EXPECT_EQ(receiver(program, machine, Ports::node).end, 3 + 10);
}

TEST(Ports, messages_in_a_row_come_in_at_the_rate_that_the_ranks_of_a_node_leave_each_other) {
  const Network machine = hockney_network({{.name = "", .between_nodes = {3, 1}, .within_node = {0, 0}}},
                                          {.node_of_rank = {0, 1, 0}, .seconds_per_unit = {1}});
  trace::MemorySource program(3);
  for (int message = 0; message < 4; ++message) {
    program.add(1, {.kind = ActionKind::send, .peer = 0, .bytes = 10});
    program.add(0, {.kind = ActionKind::receive, .peer = 1, .bytes = 10});
  }
  program.finalize();
  EXPECT_EQ(receiver(program, machine, Ports::receiver).end, 3 + 4 * 10);
  EXPECT_EQ(receiver(program, machine, Ports::node).end, 3 + 3 * 20 + 10);
}

TEST(Ports, messages_within_a_node_do_not_come_through_them) {
  const Network machine = hockney_network({{.name = "", .between_nodes = {0, 0}, .within_node = {3, 1}}},
                                          {.node_of_rank = std::vector<std::uint32_t>(9, 0), .seconds_per_unit = {1}});
  EXPECT_EQ(receiver(many_to_one(8), machine, Ports::node).end, 3 + 10);
}

std::optional<Incast> incast_of(const trace::MemorySource& program, const Network& machine) {
  return replay(program, machine, {.incast = true, .progress = {}}).incast;
}

TEST(Ports, without_them_a_result_says_how_far_the_busiest_receiver_would_fall_behind) {
  auto machine = flat_machine(9, {costs});
  const auto incast = incast_of(many_to_one(8), machine);
  ASSERT_TRUE(incast);
  EXPECT_EQ(incast->rank, 0);
  EXPECT_EQ(incast->seconds, 7 * 10);
}

TEST(Ports, messages_that_come_one_after_the_other_anyway_are_no_incast) {
  auto machine = flat_machine(2, {costs});
  trace::MemorySource program(2);
  for (int message = 0; message < 4; ++message) {
    program.compute(1, 10);
    program.add(1, {.kind = ActionKind::send, .peer = 0, .bytes = 10});
    program.add(0, {.kind = ActionKind::receive, .peer = 1, .bytes = 10});
  }
  program.finalize();
  EXPECT_EQ(incast_of(program, machine)->seconds, 0);
}

TEST(Ports, what_two_bursts_would_fall_behind_adds_up) {
  auto machine = flat_machine(3, {costs});
  trace::MemorySource program(3);
  for (int burst = 0; burst < 2; ++burst)
    for (const Rank sender : {1, 2}) {
      program.compute(sender, 100);
      program.add(sender, {.kind = ActionKind::send, .peer = 0, .bytes = 10});
      program.add(0, {.kind = ActionKind::receive, .peer = sender, .bytes = 10});
    }
  program.finalize();
  EXPECT_EQ(incast_of(program, machine)->seconds, 10 + 10);
}

/// Rank 1's message sets off at 0, rank 2's at `start`; rank 0 takes the second first.
double taken_the_other_way_round(std::uint64_t start) {
  auto machine = flat_machine(3, {costs});
  trace::MemorySource program(3);
  program.add(1, {.kind = ActionKind::send, .peer = 0, .bytes = 10});
  program.compute(2, start);
  program.add(2, {.kind = ActionKind::send, .peer = 0, .bytes = 10});
  program.add(0, {.kind = ActionKind::receive, .peer = 2, .bytes = 10});
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .bytes = 10});
  program.finalize();
  return receiver(program, machine, Ports::receiver).end;
}

TEST(Ports, a_message_that_was_in_before_the_port_got_busy_is_not_delayed_by_being_taken_later) {
  EXPECT_EQ(taken_the_other_way_round(100), 100 + 13);
}

TEST(Ports, however_they_are_taken_two_messages_that_overlap_keep_the_port_busy_for_both) {
  for (const std::uint64_t start : {0U, 4U, 9U})
    EXPECT_EQ(taken_the_other_way_round(start), 3 + 20) << start;
}

TEST(Ports, completions_as_listed_are_refused_with_ports_rather_than_taken_by_arrival) {
  auto machine = flat_machine(3, {costs});
  trace::MemorySource program(3);
  program.finalize();
  for (const Ports ports : {Ports::receiver, Ports::node}) {
    const ReplayOptions options{.ports = ports, .completions = CompletionOrder::as_listed, .progress = {}};
    try {
      replay(program, machine, options);
      FAIL() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.failure(), Failure::usage);
      EXPECT_EQ(error.description(),
                "messages come through a port in the order of their arrival, not as they are listed");
    }
  }
}

} // namespace
} // namespace timeless::replay::test::ports_test
