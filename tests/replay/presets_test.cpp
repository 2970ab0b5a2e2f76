// The paper's networks by name, and the shares of a result.
#include "replay/network/presets.h"
#include "replay/replay.h"

#include <gtest/gtest.h>

namespace timeless::replay::test::presets_test {
namespace {

TEST(Shares, are_percentages_of_the_mean_end) {
  LaneResult lane;
  lane.ranks = {{.end = 10, .compute = 4, .memory_copy = 1, .wait = 5}, {.end = 30, .compute = 20, .bandwidth = 10}};
  const Shares percent = shares(lane);
  EXPECT_EQ(percent.computation, 62.5);
  EXPECT_EQ(percent.wait, 12.5);
  EXPECT_EQ(percent.bandwidth, 25);
  EXPECT_EQ(percent.latency, 0);
  EXPECT_EQ(shares({}).computation, 0);
}

TEST(Presets, are_the_papers_three_networks) {
  const auto check = [](const char* name, double latency, double gigabits) {
    const HockneyLane one = lane(preset(name));
    EXPECT_DOUBLE_EQ(one.between_nodes.latency, latency);
    EXPECT_DOUBLE_EQ(one.between_nodes.byte_time, 8 / (gigabits * 1e9));
    EXPECT_DOUBLE_EQ(one.memory_copy_byte_time, 1 / 32e9);
    EXPECT_EQ(one.name, name);
  };
  check("e1g", 50e-6, 1);
  check("e10g", 5e-6, 10);
  check("qdr", 1.3e-6, 32);
  EXPECT_THROW(preset("e1000g"), Error);
}

TEST(Presets, classification_takes_the_papers_table_of_21_lanes) {
  const auto lanes = classification_lanes(preset("e10g"));
  ASSERT_EQ(lanes.size(), 21U);
  const auto check = [&](std::size_t index, double gigabits, double microseconds) {
    EXPECT_DOUBLE_EQ(lanes[index].between_nodes.byte_time, 8 / (gigabits * 1e9)) << index;
    EXPECT_DOUBLE_EQ(lanes[index].between_nodes.latency, microseconds * 1e-6) << index;
  };
  check(0, 1.25, 5);
  check(3, 10, 5);
  check(6, 80, 5);
  check(7, 10, 40);
  check(10, 10, 5);
  check(13, 10, 0.625);
  check(14, 1.25, 40);
  check(17, 10, 5);
  check(20, 80, 0.625);
}

} // namespace
} // namespace timeless::replay::test::presets_test
