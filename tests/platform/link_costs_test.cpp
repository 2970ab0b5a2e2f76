#include "base/error.h"
#include "replay/network/link_costs.h"
#include "replay/network/machine_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace timeless::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

double seconds(const LinkCosts& costs, Bytes bytes) {
  const MessageCosts& some = costs.of(bytes);
  return some.latency + (some.transfer + static_cast<double>(bytes) * some.byte_time);
}

std::string refusal(const std::vector<MeasuredTime>& times) {
  try {
    measured_costs(times);
  } catch (const Error& error) {
    EXPECT_EQ(error.failure(), Failure::invalid_input);
    return error.description();
  }
  return "accepted";
}

TEST(MeasuredCosts, are_what_was_measured_at_every_size_measured) {
  const std::vector<MeasuredTime> times{{0, 7}, {1, 8}, {100, 6}, {1000, 24}, {1001, 60}, {4096, 70}};
  const LinkCosts costs = measured_costs(times);
  for (const MeasuredTime& time : times)
    EXPECT_NEAR(seconds(costs, time.bytes), time.seconds, 1e-9) << time.bytes;
}

TEST(MeasuredCosts, lie_on_straight_lines_between_the_sizes) {
  const LinkCosts costs = measured_costs(std::vector<MeasuredTime>{{100, 10}, {200, 30}, {300, 20}, {400, 90}});
  EXPECT_DOUBLE_EQ(seconds(costs, 150), 20);
  EXPECT_DOUBLE_EQ(seconds(costs, 225), 27.5);
  EXPECT_DOUBLE_EQ(seconds(costs, 310), 27);
}

TEST(MeasuredCosts, below_the_smallest_size_are_its_time_and_above_the_largest_follow_the_last_line) {
  const LinkCosts costs = measured_costs(std::vector<MeasuredTime>{{100, 10}, {200, 30}, {300, 40}});
  EXPECT_DOUBLE_EQ(seconds(costs, 0), 10);
  EXPECT_DOUBLE_EQ(seconds(costs, 99), 10);
  EXPECT_DOUBLE_EQ(seconds(costs, 1300), 140);
}

TEST(MeasuredCosts, count_the_shortest_time_as_latency_and_never_less_than_nothing_as_bandwidth) {
  const LinkCosts costs =
      measured_costs(std::vector<MeasuredTime>{{1, 5}, {100, 4}, {1000, 13}, {1001, 60}, {2000, 70}});
  for (const Bytes bytes : {0U, 1U, 50U, 100U, 500U, 1000U, 1001U, 1500U, 1000000U}) {
    EXPECT_EQ(costs.of(bytes).latency, 4);
    EXPECT_GE(seconds(costs, bytes) - 4, -1e-12) << bytes;
  }
}

TEST(MeasuredCosts, of_twice_the_bandwidth_and_half_the_latency_are_half) {
  const LinkCosts measured = measured_costs(std::vector<MeasuredTime>{{1, 5}, {1000, 13}, {1001, 60}, {2000, 70}});
  const LinkCosts faster = scaled(measured, 2, 0.5);
  for (const Bytes bytes : {0U, 500U, 1001U, 5000U})
    EXPECT_DOUBLE_EQ(seconds(faster, bytes), seconds(measured, bytes) / 2);
}

TEST(MeasuredCosts, refuse_tables_nothing_can_be_read_from) {
  EXPECT_THAT(refusal({{1, 1}}), HasSubstr("fewer than two"));
  EXPECT_THAT(refusal({{1, 1}, {1, 2}}), HasSubstr("1 bytes stand after 1"));
  EXPECT_THAT(refusal({{2, 1}, {1, 2}}), HasSubstr("1 bytes stand after 2"));
  EXPECT_THAT(refusal({{1, 0}, {2, 2}}), HasSubstr("not above 0"));
  EXPECT_THAT(refusal({{1, -1}, {2, 2}}), HasSubstr("not above 0"));
  EXPECT_THAT(refusal({{1, std::numeric_limits<double>::infinity()}, {2, 2}}), HasSubstr("not above 0"));
  EXPECT_THAT(refusal({{1, 1}, {2, 2}, {3, 2}}), HasSubstr("not above that of 2"));
}

TEST(MaxRate, of_ranks_that_send_together_is_the_nodes_where_they_could_send_more) {
  const LinkCosts alone = max_rate_costs(5, {.first = 2, .further = 1, .most = 6});
  EXPECT_DOUBLE_EQ(seconds(alone, 60), 5 + 60 / 2.0);
  EXPECT_DOUBLE_EQ(seconds(sent_together(alone, 1), 60), 5 + 60 / 2.0);
  EXPECT_DOUBLE_EQ(seconds(sent_together(alone, 3), 60), 5 + 3 * 60 / 4.0) << "2 + 1 + 1";
  EXPECT_DOUBLE_EQ(seconds(sent_together(alone, 5), 60), 5 + 5 * 60 / 6.0) << "2 + 4 * 1";
  EXPECT_DOUBLE_EQ(seconds(sent_together(alone, 8), 60), 5 + 8 * 60 / 6.0) << "the node's";
  EXPECT_DOUBLE_EQ(seconds(sent_together(scaled(alone, 2, 3), 8), 60), 15 + 8 * 60 / 12.0);
  EXPECT_EQ(sent_together(hockney_costs(1, 2), 8), hockney_costs(1, 2));
}

TEST(MaxRate, counts_the_ranks_of_the_node_that_has_most) {
  const LinkCosts costs = max_rate_costs(0, {.first = 1, .further = 1, .most = 2});
  const Network network = machine_network({{.name = "x", .between_nodes = costs, .within_node = hockney_costs(0, 1)}},
                                          {.node_of_rank = {0, 0, 0, 1}, .seconds_per_unit = {1}});
  EXPECT_EQ((*network.links)[LinkTable::between_nodes].byte_time, std::vector<double>{1.5});
  EXPECT_EQ((*network.links)[LinkTable::within_node].byte_time, std::vector<double>{1});
}

TEST(LinkCosts, of_a_size_are_those_of_the_first_segment_that_holds_it) {
  const LinkCosts costs{{{.up_to = 10, .latency = 1}, {.up_to = 20, .latency = 2}, {.latency = 3}}};
  EXPECT_EQ(costs.of(0).latency, 1);
  EXPECT_EQ(costs.of(10).latency, 1);
  EXPECT_EQ(costs.of(11).latency, 2);
  EXPECT_EQ(costs.of(20).latency, 2);
  EXPECT_EQ(costs.of(21).latency, 3);
  EXPECT_EQ(costs.of(MessageCosts::any_size).latency, 3);
}

TEST(LinkCosts, scale_latency_and_bandwidth_and_leave_processors_gaps_and_handshakes) {
  const LinkCosts costs{{{.latency = 8,
                          .transfer = 6,
                          .byte_time = 4,
                          .send = {1, 2},
                          .nonblocking_send = {3, 4},
                          .receive = {5, 6},
                          .port = Seconds{7, 4},
                          .handshake = 9}}};
  const MessageCosts now = scaled(costs, 2, 3).sizes.front();
  EXPECT_EQ(now.latency, 24);
  EXPECT_EQ(now.transfer, 3);
  EXPECT_EQ(now.byte_time, 2);
  EXPECT_EQ(now.port, (Seconds{7, 2}));
  EXPECT_EQ(now.send, (Seconds{1, 2}));
  EXPECT_EQ(now.nonblocking_send, (Seconds{3, 4}));
  EXPECT_EQ(now.receive, (Seconds{5, 6}));
  EXPECT_EQ(now.handshake, 9);
}

TEST(MachineNetwork, has_the_thresholds_of_all_its_lanes_and_gives_each_lane_its_own_costs) {
  const LinkCosts two{{{.up_to = 100, .latency = 1, .byte_time = 10}, {.latency = 2, .byte_time = 20}}};
  const LinkCosts three{{{.up_to = 50, .latency = 3}, {.up_to = 200, .latency = 4}, {.latency = 5}}};
  const Network network =
      machine_network({{.name = "two", .between_nodes = two, .within_node = hockney_costs(9, 9)},
                       {.name = "three", .between_nodes = three, .within_node = hockney_costs(8, 8)}},
                      one_rank_per_node(2, 1));
  EXPECT_THAT(network.thresholds, ElementsAre(50, 100, 200));
  std::vector<std::vector<double>> latencies;
  for (const Bytes bytes : {50U, 51U, 100U, 101U, 200U, 201U}) {
    const ClassCosts& costs = (*network.links)[network.links->link(0, 1)];
    std::vector<double>& latency = latencies.emplace_back();
    for (const Lane& lane : network.lanes)
      latency.push_back(costs.latency[costs.index(segment_of(network.thresholds, bytes), lane.column)]);
  }
  EXPECT_THAT(latencies, ElementsAre(ElementsAre(1, 3), ElementsAre(1, 4), ElementsAre(1, 4), ElementsAre(2, 4),
                                     ElementsAre(2, 4), ElementsAre(2, 5)));
}

TEST(MachineNetwork, refuses_costs_that_are_none) {
  const auto made = [](const LinkCosts& costs) {
    return machine_network({{.name = "x", .between_nodes = costs, .within_node = hockney_costs(0, 0)}},
                           one_rank_per_node(2, 1));
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NO_THROW(made(hockney_costs(1, 1)));
  EXPECT_THROW(made(hockney_costs(-1, 1)), Error);
  EXPECT_THROW(made(hockney_costs(1, nan)), Error);
  EXPECT_THROW(made({{{.send = {-1, 0}}}}), Error);
  EXPECT_THROW(made({{{.port = Seconds{-1, 0}}}}), Error);
  EXPECT_THROW(made({{{.up_to = 5}}}), Error) << "says nothing of larger messages";
  EXPECT_THROW(made({{{.up_to = 5}, {.up_to = 5}, {}}}), Error) << "sizes that do not rise";
  EXPECT_THROW(made(LinkCosts{{}}), Error);
}

} // namespace
} // namespace timeless::replay
