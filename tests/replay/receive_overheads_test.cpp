// What a rank does once a message has come: when it completes several at once, before it takes the next.
#include "machines.h"

#include "replay/replay.h"
#include "trace/model/memory_source.h"

#include <gtest/gtest.h>

#include <vector>

namespace timeless::replay::test::receive_overheads_test {
namespace {

using trace::ActionKind;
using trace::MemorySource;
using trace::RequestId;

/// Latency 10, no byte time; the receiver of n bytes spends n seconds on them.
Network busy_receivers(Rank ranks) {
  Network machine = flat_machine(ranks, {{.latency = 10}});
  machine.overheads.receive = SecondsBySize({{.up_to = no_eager_limit, .seconds = {.fixed = 0, .per_byte = 1}}});
  return machine;
}

/// Ranks 1, 2, ... compute for this long and then send rank 0 so many bytes; it waits for all of them, listed in this
/// order, with the given completion.
MemorySource staggered(const std::vector<std::uint64_t>& starts, Bytes bytes, ActionKind completion) {
  MemorySource program(static_cast<Rank>(starts.size()) + 1);
  std::vector<RequestId> requests;
  for (std::size_t index = 0; index < starts.size(); ++index) {
    const auto sender = static_cast<Rank>(index + 1);
    requests.push_back(static_cast<RequestId>(index));
    program.add(0, {.kind = ActionKind::receive, .peer = sender, .bytes = bytes, .request = requests.back()});
    program.compute(sender, starts[index]);
    program.add(sender, {.kind = ActionKind::send, .peer = 0, .bytes = bytes});
  }
  program.add(0, {.kind = completion, .requests = requests});
  program.finalize();
  return program;
}

RankTimes receiver(const MemorySource& program, ReplayOptions options = {}) {
  const Network machine = busy_receivers(program.run().size);
  return replay(program, machine, options).lanes[0].ranks[0];
}

TEST(ReceiveOverheads, follow_their_messages_while_the_rank_waits_for_the_rest) {
  // They come at 110, 10 and 50, and take 30 each: 10-40, 50-80, 110-140.
  for (const ActionKind completion : {ActionKind::wait_all, ActionKind::test_all, ActionKind::wait_some}) {
    const RankTimes times = receiver(staggered({100, 0, 40}, 30, completion));
    EXPECT_EQ(times.end, 140);
    EXPECT_EQ(times.overhead, 90);
    EXPECT_EQ(times.wait + times.latency, 50);
  }
}

TEST(ReceiveOverheads, add_up_where_messages_come_faster_than_the_rank_takes_them) {
  // They come at 20, 10 and 15: 10-40-70-100.
  const RankTimes times = receiver(staggered({10, 0, 5}, 30, ActionKind::wait_all));
  EXPECT_EQ(times.end, 100);
  EXPECT_EQ(times.overhead, 90);
}

TEST(ReceiveOverheads, are_the_same_with_ports_in_listed_order_of_sorted_lists_and_for_many_messages) {
  ReplayOptions ported;
  ported.ports = Ports::receiver;
  EXPECT_EQ(receiver(staggered({0, 40, 100}, 30, ActionKind::wait_all), ported).end, 140);
  ReplayOptions listed;
  listed.completions = CompletionOrder::as_listed;
  EXPECT_EQ(receiver(staggered({0, 40, 100}, 30, ActionKind::wait_all), listed).end, 140);
  // As listed, the rank waits for what comes at 110 before it looks at the others.
  EXPECT_EQ(receiver(staggered({100, 0, 40}, 30, ActionKind::wait_all), listed).end, 200);
  // 20 messages, one every 100 seconds from 10 on, the last at 1910.
  std::vector<std::uint64_t> starts;
  for (std::uint64_t index = 0; index < 20; ++index)
    starts.push_back(100 * ((index * 7) % 20));
  EXPECT_EQ(receiver(staggered(starts, 30, ActionKind::wait_all)).end, 1940);
}

TEST(ReceiveOverheads, are_told_where_their_order_may_bend_the_makespan) {
  ReplayOptions options;
  options.sensitivities = true;
  const Network machine = busy_receivers(4);
  EXPECT_TRUE(replay(staggered({100, 0, 40}, 30, ActionKind::wait_all), machine, options).order_matters);
  EXPECT_FALSE(replay(staggered({100, 0, 40}, 0, ActionKind::wait_all), machine, options).order_matters);
  const Network two = busy_receivers(2);
  EXPECT_FALSE(replay(staggered({100}, 30, ActionKind::wait_all), two, options).order_matters);
}

} // namespace
} // namespace timeless::replay::test::receive_overheads_test
