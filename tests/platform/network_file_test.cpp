#include "replay/network/network_file.h"

#include "../temporary_directory.h"
#include "base/error.h"
#include "replay/replay.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace timeless::replay {
namespace {

using testing::HasSubstr;

class NetworkFile : public testing::Test {
protected:
  std::filesystem::path written(const std::string& text) {
    const std::filesystem::path file = folder_ / "network.json";
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

  /// Returns "what | where | advice" of the error that reading this text ends in.
  std::string refusal(const std::string& text) {
    try {
      read_network(written(text));
    } catch (const Error& error) {
      EXPECT_EQ(error.failure(), Failure::invalid_input);
      EXPECT_THAT(error.where(), HasSubstr("network.json"));
      EXPECT_FALSE(error.advice().empty());
      return error.description() + " | " + error.where() + " | " + error.advice();
    }
    return "accepted";
  }

  static std::string with_link(const std::string& link) {
    return R"({"format": "timeless.network/1", "between_nodes": )" + link + "}";
  }

  test::TemporaryDirectory folder_;
};

constexpr const char* fast_link = R"({"model": "hockney", "latency_seconds": 2e-6, "bandwidth_bytes_per_second": 1e9})";

TEST_F(NetworkFile, of_hockney_says_latency_and_bandwidth) {
  const NetworkDescription network = read_network(written(with_link(fast_link)));
  EXPECT_EQ(network.name, "network") << "the file's, as it says none";
  EXPECT_EQ(network.between_nodes, hockney_costs(2e-6, 1e-9));
  EXPECT_EQ(network.within_node, network.between_nodes) << "it speaks of one kind of link";
  EXPECT_EQ(network.memory_copy_byte_time, 0);
  EXPECT_EQ(network.reduction_byte_time, 0);
  EXPECT_EQ(network.eager_limit, std::nullopt);
  EXPECT_EQ(network.handshake_latencies, 2);
}

TEST_F(NetworkFile, of_max_rate_says_what_ranks_of_a_node_send_together) {
  const std::string link = R"({"model": "max_rate", "latency_seconds": 2e-6, "bandwidth_bytes_per_second": 4)";
  const NetworkDescription network =
      read_network(written(with_link(link + R"(, "node_bandwidth_bytes_per_second": 16})")));
  EXPECT_EQ(network.between_nodes, max_rate_costs(2e-6, {.first = 4, .further = 4, .most = 16}));
  EXPECT_EQ(network.within_node, (LinkCosts{{{.latency = 2e-6, .byte_time = 0.25}}}))
      << "where no node shares anything";
  const NetworkDescription further = read_network(
      written(with_link(link + R"(, "further_ranks_bytes_per_second": 2, "node_bandwidth_bytes_per_second": 16})")));
  EXPECT_EQ(further.between_nodes.node->further, 2);
  EXPECT_THAT(refusal(with_link(link + "}")), HasSubstr("node_bandwidth_bytes_per_second"));
  EXPECT_THAT(refusal(with_link(link + R"(, "node_bandwidth_bytes_per_second": 3})")),
              HasSubstr("less than what one rank alone sends"));
  const std::string within = R"({"format": "timeless.network/1", "between_nodes": )" + std::string(fast_link) +
                             R"(, "within_node": )" + link + R"(, "node_bandwidth_bytes_per_second": 16}})";
  EXPECT_THAT(refusal(within), HasSubstr("a node's rate is of what leaves it"));
}

TEST_F(NetworkFile, says_all_that_a_lane_holds) {
  const NetworkDescription network = read_network(written(R"({
    "format": "timeless.network/1", "name": "mine", "description": "d", "source": "s",
    "between_nodes": {"model": "loggp", "latency_seconds": 5, "segments": [
      {"up_to_bytes": 100, "overhead_seconds": 1, "seconds_per_byte": 0.5},
      {"up_to_bytes": 200, "send_overhead_seconds": 2, "receive_overhead_seconds": 3, "seconds_per_byte": 0.25,
       "overhead_seconds_per_byte": 0.125, "gap_seconds": 4},
      {"latency_seconds": 6, "overhead_seconds": 7, "nonblocking_send_overhead_seconds": 8, "seconds_per_byte": 0,
       "handshake_seconds": 9}]},
    "within_node": {"model": "table", "bytes_and_seconds": [[0, 1], [8, 2]]},
    "memory_copy_bytes_per_second": 4, "reduction_bytes_per_second": 8,
    "eager_limit_bytes": 150, "handshake_latencies": 3})"));
  EXPECT_EQ(network.name, "mine");
  EXPECT_EQ(network.description, "d");
  EXPECT_EQ(network.source, "s");
  const LinkCosts expected{
      {{.up_to = 100, .latency = 5, .byte_time = 0.5, .send = {1, 0}, .nonblocking_send = {1, 0}, .receive = {1, 0}},
       {.up_to = 200,
        .latency = 5,
        .byte_time = 0.25,
        .send = {2, 0.125},
        .nonblocking_send = {2, 0.125},
        .receive = {3, 0.125},
        .port = Seconds{4, 0.25}},
       {.latency = 6, .send = {7, 0}, .nonblocking_send = {8, 0}, .receive = {7, 0}, .handshake = 9}}};
  EXPECT_EQ(network.between_nodes, expected);
  EXPECT_EQ(network.within_node, measured_costs(std::vector<MeasuredTime>{{0, 1}, {8, 2}}));
  const MachineLane faster = lane(network, {.bandwidth = 2, .latency = 0.5, .compute = 3});
  EXPECT_EQ(faster.name, "mine bandwidth x2 latency /2 cpu /3");
  EXPECT_EQ(faster.between_nodes, scaled(expected, 2, 0.5));
  EXPECT_EQ(faster.within_node, network.within_node) << "only links between nodes are scaled";
  EXPECT_EQ(faster.memory_copy_byte_time, 0.25);
  EXPECT_EQ(faster.reduction_byte_time, 0.125);
  EXPECT_EQ(faster.eager_limit, 150);
  EXPECT_EQ(faster.handshake_latencies, 3);
  EXPECT_EQ(faster.compute_scale, 3);
}

TEST_F(NetworkFile, says_in_one_of_four_words_what_its_figures_rest_on) {
  const auto with_trust = [](const std::string& trust) {
    return R"({"format": "timeless.network/1", "trust": )" + trust + R"(, "between_nodes": )" + std::string(fast_link) +
           "}";
  };
  EXPECT_EQ(read_network(written(with_trust("\"vendor\""))).trust, "vendor");
  EXPECT_EQ(read_network(written(with_link(fast_link))).trust, "");
  for (const char* other : {"\"certainly\"", "\"Measured\""})
    EXPECT_THAT(refusal(with_trust(other)), HasSubstr("write measured, published, vendor or assumed"));
}

TEST_F(NetworkFile, that_does_not_speak_of_the_inside_of_nodes_has_the_unscaled_links_there) {
  const MachineLane faster = lane(read_network(written(with_link(fast_link))), {.bandwidth = 2, .latency = 0.5});
  EXPECT_EQ(faster.between_nodes, hockney_costs(1e-6, 0.5e-9));
  EXPECT_EQ(faster.within_node, hockney_costs(2e-6, 1e-9));
}

TEST_F(NetworkFile, that_does_not_speak_of_the_inside_of_nodes_scales_by_what_the_sensitivities_say) {
  // Two ranks of a node, one of another, and one that sends to itself: 2 us + 1 us each, between nodes or not.
  trace::MemorySource program(3);
  for (const auto& [from, to] : {std::pair<Rank, Rank>{0, 1}, {1, 2}, {2, 2}}) {
    program.add(from, {.kind = trace::ActionKind::send, .peer = to, .bytes = 1000});
    program.add(to, {.kind = trace::ActionKind::receive, .peer = from, .bytes = 1000});
  }
  program.finalize();
  const NetworkDescription network = read_network(written(with_link(fast_link)));
  const Network machine =
      machine_network({lane(network), lane(network, {.latency = 10}), lane(network, {.bandwidth = 0.1})},
                      {.node_of_rank = {0, 0, 1}, .seconds_per_unit = {1}});
  ReplayOptions options;
  options.sensitivities = true;
  const std::vector<LaneResult> lanes = replay(program, machine, options).lanes;
  EXPECT_NEAR(lanes[0].makespan, 9e-6, 1e-15);
  EXPECT_NEAR(lanes[0].sensitivity.latency, 2e-6, 1e-15) << "the one message between nodes";
  EXPECT_NEAR(lanes[0].sensitivity.bandwidth, 1e-6, 1e-15);
  EXPECT_NEAR(lanes[1].makespan, 9e-6 + 9 * 2e-6, 1e-15);
  EXPECT_NEAR(lanes[2].makespan, 9e-6 + 9 * 1e-6, 1e-15);
}

/// Returns a program in which rank 0 computes for 3 s, and ranks 1 and 2 for 10 s before they receive 50 bytes of it:
/// on its node, and elsewhere.
trace::MemorySource late_receives() {
  trace::MemorySource program(3);
  program.add(0, {.kind = trace::ActionKind::send, .peer = 1, .bytes = 50});
  program.add(0, {.kind = trace::ActionKind::send, .peer = 2, .bytes = 50});
  for (const Rank rank : {1, 2}) {
    program.compute(rank, 10);
    program.add(rank, {.kind = trace::ActionKind::receive, .peer = 0, .bytes = 50});
  }
  program.finalize();
  return program;
}

TEST_F(NetworkFile, has_an_eager_limit_within_nodes_and_another_between_them) {
  const auto network = [&](const std::string& between, const std::string& within) {
    const std::string link = R"({"model": "hockney", "latency_seconds": 1, "bandwidth_bytes_per_second": 1e18)";
    return read_network(written(R"({"format": "timeless.network/1", "eager_limit_bytes": )" + between +
                                R"(, "between_nodes": )" + link + R"(}, "within_node": )" + link +
                                (within.empty() ? "" : R"(, "eager_limit_bytes": )" + within) + "}}"));
  };
  // 10 s of computation, an agreement of 2 s, and 1 s for the message; the second send then goes on from 13 s.
  constexpr double waits = 13;
  const auto sender_ends = [&](const std::vector<NetworkDescription>& networks) {
    std::vector<MachineLane> lanes;
    for (const NetworkDescription& one : networks)
      lanes.push_back(lane(one));
    std::vector<double> ends;
    for (const LaneResult& one :
         replay(late_receives(), machine_network(lanes, {.node_of_rank = {0, 0, 1}, .seconds_per_unit = {1}}), {})
             .lanes)
      ends.push_back(one.ranks[0].end);
    return ends;
  };
  EXPECT_THAT(sender_ends({network("100", "10")}), testing::ElementsAre(waits)) << "for the first alone";
  EXPECT_THAT(sender_ends({network("10", "100")}), testing::ElementsAre(waits)) << "for the second alone";
  EXPECT_THAT(sender_ends({network("10", "\"none\"")}), testing::ElementsAre(waits));
  EXPECT_THAT(sender_ends({network("100", "100")}), testing::ElementsAre(0));
  EXPECT_THAT(sender_ends({network("10", "")}), testing::ElementsAre(waits + 3)) << "one after the other";
  // Of the first two, neither waits for all that the other does: they are replayed apart.
  EXPECT_THAT(sender_ends({network("100", "10"), network("10", "100"), network("100", "100")}),
              testing::ElementsAre(waits, waits, 0));
  ReplayOptions options;
  options.eager_limit = 100;
  const Network machine =
      machine_network({lane(network("10", "10"))}, {.node_of_rank = {0, 0, 1}, .seconds_per_unit = {1}});
  EXPECT_EQ(replay(late_receives(), machine, options).lanes[0].ranks[0].end, 0) << "the options' is of both";
}

TEST_F(NetworkFile, says_up_to_which_size_it_was_measured) {
  EXPECT_EQ(read_network(written(with_link(fast_link))).measured_between_nodes, std::nullopt);
  const NetworkDescription table =
      read_network(written(with_link(R"({"model": "table", "bytes_and_seconds": [[0, 1], [8, 2]]})")));
  EXPECT_EQ(table.measured_between_nodes, 8) << "the last row";
  EXPECT_EQ(table.measured_within_node, 8);
  const NetworkDescription both = read_network(written(R"({"format": "timeless.network/1",
    "between_nodes": {"model": "hockney", "latency_seconds": 1, "bandwidth_bytes_per_second": 1, "measured_up_to_bytes": 70},
    "within_node": {"model": "hockney", "latency_seconds": 1, "bandwidth_bytes_per_second": 1}})"));
  EXPECT_EQ(both.measured_between_nodes, 70);
  EXPECT_EQ(both.measured_within_node, std::nullopt);
}

TEST_F(NetworkFile, with_a_mistake_is_refused_by_key_with_what_to_write) {
  EXPECT_THAT(refusal(R"({"between_nodes": {}})"), HasSubstr("'format' is missing"));
  EXPECT_THAT(refusal(R"({"format": "timeless.network/2"})"),
              HasSubstr("is another version of this format, and this Timeless reads timeless.network/1"));
  EXPECT_THAT(refusal(R"({"format": "timeless.network/1"})"), HasSubstr("'between_nodes' is missing"));
  EXPECT_THAT(refusal(R"({"format": "timeless.network/1", "betwen_nodes": {}})"),
              testing::AllOf(HasSubstr(": betwen_nodes"), HasSubstr("between_nodes, within_node")));
  EXPECT_THAT(refusal(with_link("5")), HasSubstr("not an object"));
  EXPECT_THAT(refusal(with_link(R"({"model": "magic"})")), HasSubstr("choose hockney, loggp, table or max_rate"));
  EXPECT_THAT(refusal(with_link(R"({"model": "hockney", "latency_seconds": "1 us"})")),
              testing::AllOf(HasSubstr("between_nodes.latency_seconds"), HasSubstr("without quotes")));
  EXPECT_THAT(refusal(with_link(R"({"model": "hockney", "latency_seconds": -1})")), HasSubstr("-1 is not possible"));
  EXPECT_THAT(refusal(with_link(R"({"model": "hockney", "latency_seconds": 0, "bandwidth_bytes_per_second": 0})")),
              HasSubstr("bandwidth_bytes_per_second | write a number above 0"));
  EXPECT_THAT(refusal(with_link(R"({"model": "hockney", "latency_us": 1})")), HasSubstr("between_nodes.latency_us"));
}

TEST_F(NetworkFile, of_loggp_has_rising_segments_that_hold_every_size) {
  const auto link = [](const std::string& segments) {
    return with_link(R"({"model": "loggp", "latency_seconds": 1, "segments": )" + segments + "}");
  };
  EXPECT_EQ(refusal(link(R"([{"seconds_per_byte": 1}])")), "accepted");
  EXPECT_THAT(refusal(link("[]")), HasSubstr("a list of 0"));
  EXPECT_THAT(refusal(link("[1]")), HasSubstr("between_nodes.segments[0]"));
  EXPECT_THAT(refusal(link(R"([{"up_to_bytes": 5, "seconds_per_byte": 1}])")), HasSubstr("above 5 bytes"));
  EXPECT_THAT(refusal(link(R"([{"seconds_per_byte": 1}, {"seconds_per_byte": 1}])")),
              HasSubstr("the segment before this one has no end"));
  EXPECT_THAT(
      refusal(link(R"([{"up_to_bytes": 5, "seconds_per_byte": 1}, {"up_to_bytes": 5, "seconds_per_byte": 1}])")),
      HasSubstr("between_nodes.segments[1].up_to_bytes"));
  EXPECT_THAT(refusal(link(R"([{"up_to_bytes": 5.5, "seconds_per_byte": 1}])")), HasSubstr("not a whole number"));
}

TEST_F(NetworkFile, of_a_table_names_the_pair_that_is_wrong) {
  const auto link = [](const std::string& pairs) {
    return with_link(R"({"model": "table", "bytes_and_seconds": )" + pairs + "}");
  };
  EXPECT_EQ(refusal(link("[[1, 1], [2, 2]]")), "accepted");
  EXPECT_THAT(refusal(link("[[1, 1], [2]]")), HasSubstr("bytes_and_seconds[1]"));
  EXPECT_THAT(refusal(link("[[1, 1], [-2, 2]]")), HasSubstr("bytes_and_seconds[1]"));
  EXPECT_THAT(refusal(link("[[1, 1], [2, 1e300]]")), HasSubstr("bytes_and_seconds[1]"));
  EXPECT_THAT(refusal(link("[[2, 1], [1, 2]]")), HasSubstr("rising order"));
}

TEST_F(NetworkFile, of_hostile_content_ends_in_an_error) {
  EXPECT_THAT(refusal(""), HasSubstr("line 1, column 1"));
  EXPECT_THAT(refusal("{\n  \"format\": }"), HasSubstr("line 2, column 13"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("not an object"));
  EXPECT_THAT(refusal("{\"format\": \"\xff\"}"), HasSubstr("no JSON"));
  EXPECT_THAT(refusal(R"({"format": 1e999})"), HasSubstr("too large"));
  EXPECT_THAT(refusal(R"({"format": "timeless.network/1", "format": "timeless.network/1"})"), HasSubstr("twice"));
  EXPECT_THAT(refusal("{\"a\": " + std::string(100000, '[')), HasSubstr("too deep"));
  EXPECT_THAT(refusal(std::string(2U << 20U, ' ')), HasSubstr("more than 1 MiB"));
  EXPECT_THAT(refusal(R"({"format": "timeless.network/1", "name": "a\nb"})"), HasSubstr("not printable"));
  EXPECT_THAT(refusal(with_link(R"({"model": "hockney", "latency_seconds": 1e10})")), HasSubstr("at most 1e9"));
  EXPECT_THAT(refusal(with_link(R"({"model": "hockney", "latency_seconds": 0, "bandwidth_bytes_per_second": 1e-320})")),
              HasSubstr("not possible"));
  EXPECT_THROW(read_network(folder_ / "none.json"), Error);
  EXPECT_THROW(read_network(folder_.path()), Error);
}

TEST_F(NetworkFile, every_one_that_comes_with_timeless_can_be_read_and_says_its_source) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TIMELESS_PLATFORMS "/networks")) {
    if (entry.path().extension() != ".json") continue;
    const NetworkDescription network = read_network(entry.path());
    EXPECT_EQ(network.name, entry.path().stem());
    EXPECT_FALSE(network.description.empty()) << entry.path();
    EXPECT_FALSE(network.source.empty()) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 5U);
}

} // namespace
} // namespace timeless::replay
