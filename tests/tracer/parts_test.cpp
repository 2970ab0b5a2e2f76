#include "tracer/common/flat_map.h"
#include "tracer/handles/requests.h"
#include "tracer/storage/block_queue.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <map>
#include <random>

/// The recorder's parts that need no MPI.
namespace timeless::tracer {

namespace {

TEST(FlatMap, agrees_with_a_map_through_random_changes) {
  std::mt19937 random(7);
  std::map<std::uint64_t, int> expected;
  FlatMap<int> actual;
  for (int step = 0; step < 200000; ++step) {
    // Keys like addresses: a small range, all multiples of 16.
    const std::uint64_t key = 16 * (1 + random() % 500);
    if (random() % 2 == 0) {
      expected[key] = step;
      actual.set(key, step);
    } else {
      expected.erase(key);
      actual.erase(key);
    }
    const std::uint64_t asked = 16 * (1 + random() % 500);
    const auto known = expected.find(asked);
    const int* const found = actual.find(asked);
    ASSERT_EQ(found != nullptr, known != expected.end());
    if (found != nullptr) {
      ASSERT_EQ(*found, known->second);
    }
    ASSERT_EQ(actual.size(), expected.size());
  }
}

MPI_Request handle(std::uintptr_t address) {
  return reinterpret_cast<MPI_Request>(address);
}

TEST(RequestTable, gives_the_lowest_free_number) {
  RequestTable table;
  for (trace::RequestId id = 0; id < 200; ++id)
    EXPECT_EQ(table.take_id(), id);
  table.free_id(150);
  table.free_id(3);
  table.free_id(64);
  EXPECT_EQ(table.take_id(), 3U);
  EXPECT_EQ(table.take_id(), 64U);
  EXPECT_EQ(table.take_id(), 150U);
  EXPECT_EQ(table.take_id(), 200U);
}

TEST(RequestTable, keeps_many_equal_handles_in_order) {
  RequestTable table;
  std::vector<Request*> waiting;
  std::mt19937 random(3);
  std::size_t first = 0;
  for (int step = 0; step < 10000; ++step) {
    if (random() % 2 == 0) {
      waiting.push_back(&table.add(handle(16)));
    } else if (first < waiting.size()) {
      ASSERT_EQ(table.find(handle(16)), waiting[first]);
      table.take(*waiting[first++]);
    }
  }
}

TEST(RequestTable, takes_the_oldest_of_equal_handles_first) {
  RequestTable table;
  Request& first = table.add(handle(16));
  Request& second = table.add(handle(16));
  Request& other = table.add(handle(32));
  EXPECT_EQ(table.find(handle(16)), &first);
  table.take(first);
  EXPECT_EQ(table.find(handle(16)), &second);
  table.take(second);
  EXPECT_EQ(table.find(handle(16)), nullptr);
  EXPECT_EQ(table.find(handle(32)), &other);
}

trace::Action blocking_receive(trace::Rank peer) {
  return {.kind = trace::ActionKind::receive, .peer = peer};
}

/// A queue of blocks of 4 actions of which 2 may wait, and the peers it has written.
struct Fixture {
  std::vector<trace::Rank> written;
  BlockQueue queue{4, 2, [this](const trace::ActionBlock& block) {
                     trace::for_each_action(
                         block, [this](const trace::Action& action, std::uint64_t) { written.push_back(action.peer); });
                   }};
};

TEST(BlockQueue, writes_full_blocks_at_once) {
  Fixture f;
  for (int i = 0; i < 9; ++i)
    f.queue.append(blocking_receive(i));
  EXPECT_THAT(f.written, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  f.queue.flush();
  EXPECT_EQ(f.written.size(), 9U);
}

TEST(BlockQueue, writes_a_block_of_many_different_actions_before_it_is_full) {
  std::vector<std::size_t> written;
  BlockQueue queue(16384, 4, [&](const trace::ActionBlock& block) { written.push_back(block.size()); });
  for (int i = 0; i < 16383; ++i)
    queue.append(blocking_receive(i % 100));
  EXPECT_TRUE(written.empty());
  queue.flush();
  written.clear();
  for (int i = 0; i < 16383; ++i)
    queue.append(blocking_receive(i));
  EXPECT_GT(written.size(), 4U);
}

TEST(BlockQueue, keeps_a_block_while_an_action_in_it_is_unsettled) {
  Fixture f;
  const ActionPosition open = f.queue.append(blocking_receive(-2), true);
  for (int i = 1; i < 9; ++i)
    f.queue.append(blocking_receive(i));
  EXPECT_TRUE(f.written.empty());
  ASSERT_TRUE(f.queue.holds(open));
  f.queue.replace(open, blocking_receive(42));
  f.queue.settle(open);
  EXPECT_THAT(f.written, testing::ElementsAre(42, 1, 2, 3, 4, 5, 6, 7));
}

TEST(BlockQueue, writes_an_unsettled_block_when_too_many_stand_behind_it) {
  Fixture f;
  const ActionPosition open = f.queue.append(blocking_receive(-2), true);
  for (int i = 1; i < 12; ++i)
    f.queue.append(blocking_receive(i));
  EXPECT_FALSE(f.queue.holds(open));
  EXPECT_EQ(f.written.size(), 12U);
  EXPECT_EQ(f.written.front(), -2);
  f.queue.settle(open); // too late, and harmless
  f.queue.flush();
  EXPECT_EQ(f.written.size(), 12U);
}

TEST(BlockQueue, gives_times_to_every_action_once_it_has_been_given_some) {
  std::vector<trace::ActionTimes> written;
  BlockQueue queue(2, 2, [&](const trace::ActionBlock& block) {
    EXPECT_EQ(block.times().size(), block.size());
    written.insert(written.end(), block.times().begin(), block.times().end());
  });
  queue.stamp({0, 10});
  queue.append_volume(trace::ActionKind::compute, 0, 5);
  queue.stamp({10, 30});
  queue.append(blocking_receive(1));
  queue.append(blocking_receive(2));
  queue.stamp({40, 50});
  queue.append(blocking_receive(3));
  queue.append(blocking_receive(4));
  queue.flush();
  const std::vector<trace::ActionTimes> expected = {{0, 10}, {10, 30}, {30, 30}, {40, 50}, {50, 50}};
  EXPECT_EQ(written, expected);
}

TEST(BlockQueue, writes_the_last_block_also_when_it_is_unsettled) {
  Fixture f;
  f.queue.append(blocking_receive(-2), true);
  f.queue.flush();
  EXPECT_THAT(f.written, testing::ElementsAre(-2));
}

} // namespace

} // namespace timeless::tracer
