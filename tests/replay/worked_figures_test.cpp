// The worked figures of Tong et al., "Fast Classification of MPI Applications using Lamport's Logical Clocks", section
// III.E: two units of latency, ten of bandwidth, two of memory copy.
#include "machines.h"
#include "replay/replay.h"
#include "trace/model/memory_source.h"

#include <gtest/gtest.h>

namespace timeless::replay::test::worked_figures_test {
namespace {

using trace::ActionKind;
using trace::MemorySource;

constexpr trace::Bytes message_bytes = 2;
constexpr FlatCosts with_copy{.latency = 2, .byte_time = 5, .memory_copy = 1};
constexpr FlatCosts without_copy{.latency = 2, .byte_time = 5};

/// Figure 2: rank 1 sends at `send_time`, rank 0 enters its receive at `receive_time`. Returns the receiver's times.
RankTimes receiver(std::uint64_t send_time, std::uint64_t receive_time, const FlatCosts& costs) {
  MemorySource program(2);
  program.compute(0, receive_time);
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .bytes = message_bytes});
  program.compute(1, send_time);
  program.add(1, {.kind = ActionKind::send, .peer = 0, .bytes = message_bytes});
  program.finalize();
  const Network machine = flat_machine(2, {costs});
  return replay(program, machine).lanes.at(0).ranks.at(0);
}

void expect(const RankTimes& times, double wait, double latency, double bandwidth, double end) {
  EXPECT_EQ(times.wait, wait);
  EXPECT_EQ(times.latency, latency);
  EXPECT_EQ(times.bandwidth, bandwidth);
  EXPECT_EQ(times.end, end);
}

TEST(WorkedFigures, early_sender_delivers_at_22_and_costs_the_receiver_nothing) {
  expect(receiver(8, 25, with_copy), 0, 0, 0, 25);
  // Delivery is at 22: a receiver entering just before feels the last of the bytes.
  expect(receiver(8, 21, with_copy), 0, 0, 1, 22);
  expect(receiver(8, 22, with_copy), 0, 0, 0, 22);
}

TEST(WorkedFigures, early_receiver_waits_8_then_pays_latency_then_bandwidth_until_32) {
  expect(receiver(18, 12, with_copy), 8, 2, 10, 32);
}

TEST(WorkedFigures, concurrent_sender_leaves_9_units_of_bandwidth_until_19) {
  expect(receiver(5, 10, with_copy), 0, 0, 9, 19);
}

TEST(WorkedFigures, without_the_memory_copy_each_delivery_is_two_units_earlier) {
  expect(receiver(8, 19, without_copy), 0, 0, 1, 20);
  expect(receiver(8, 25, without_copy), 0, 0, 0, 25);
  expect(receiver(18, 12, without_copy), 6, 2, 10, 30);
  expect(receiver(5, 10, without_copy), 0, 0, 7, 17);
}

TEST(WorkedFigures, bandwidth_first_lets_computation_hide_bytes_before_latency) {
  MemorySource program(2);
  program.compute(0, 10);
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .bytes = message_bytes});
  program.compute(1, 5);
  program.add(1, {.kind = ActionKind::send, .peer = 0, .bytes = message_bytes});
  program.finalize();
  const Network machine = flat_machine(2, {with_copy});
  const Result result = replay(program, machine, {.overlap = Overlap::bandwidth_first, .progress = {}});
  // The message starts at 7, its bytes are there at 17, it is delivered at 19.
  expect(result.lanes.at(0).ranks.at(0), 0, 2, 7, 19);
}

TEST(WorkedFigures, sender_pays_its_copy_and_nothing_else) {
  MemorySource program(2);
  program.compute(0, 8);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = message_bytes});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = message_bytes});
  program.finalize();
  const Network machine = flat_machine(2, {with_copy});
  const RankTimes sender = replay(program, machine).lanes.at(0).ranks.at(0);
  expect(sender, 0, 0, 0, 10);
  EXPECT_EQ(sender.compute, 8);
  EXPECT_EQ(sender.memory_copy, 2);
}

/// Figure 3: three ranks enter a collective at 3, 10 and 18; its two steps take 2 of latency and 10 of bandwidth.
void check_collective(double memory_copy) {
  MemorySource program(3);
  const std::uint64_t entries[] = {3, 10, 18};
  for (Rank rank = 0; rank < 3; ++rank) {
    program.compute(rank, entries[rank]);
    program.add(rank, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 1});
  }
  program.finalize();
  const Network machine = flat_machine(3, {{.latency = 1, .byte_time = 5, .memory_copy = memory_copy}});
  for (const CollectiveModel model : {CollectiveModel::mpich, CollectiveModel::simple}) {
    const Result result = replay(program, machine, {.collectives = model, .progress = {}});
    expect(result.lanes.at(0).ranks.at(0), 15, 2, 10, 30);
    expect(result.lanes.at(0).ranks.at(1), 8, 2, 10, 30);
    expect(result.lanes.at(0).ranks.at(2), 0, 2, 10, 30);
    EXPECT_EQ(result.lanes.at(0).makespan, 30);
  }
}

TEST(WorkedFigures, collective_waits_15_for_the_last_then_pays_latency_then_bandwidth) {
  check_collective(0);
}

TEST(WorkedFigures, collective_has_no_memory_copy) {
  check_collective(1);
}

} // namespace
} // namespace timeless::replay::test::worked_figures_test
