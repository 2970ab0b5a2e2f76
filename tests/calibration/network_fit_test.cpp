// Fits of synthetic measurements, through the file they are written to and back.
#include "analysis/calibration/network/curve.h"
#include "analysis/calibration/network/network_fit.h"
#include "base/error.h"
#include "tests/calibration/synthetic_machine.h"
#include "tests/temporary_directory.h"
#include "tests/trace/samples.h"
#include "tools/calibrating/network_text.h"
#include "tools/calibrating/platform_text.h"
#include "tools/machines/platform_head.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>

namespace timeless {
namespace {

using replay::NetworkDescription;

constexpr std::uint64_t four_mebibytes = std::uint64_t{1} << 22U;

class NetworkFit : public testing::Test {
protected:
  NetworkDescription truth_of(const std::string& text) {
    const std::string file = directory_ / "truth.json";
    trace::test::write_bytes(file, text);
    return replay::read_network(file);
  }

  NetworkDescription written(const analysis::NetworkFit& fit, tools::LinkModel model = tools::LinkModel::loggp) {
    const std::string file = directory_ / "fitted.json";
    trace::test::write_bytes(file, tools::network_text(fit, {.name = "fitted", .model = model}));
    return replay::read_network(file);
  }

  trace::test::TemporaryDirectory directory_;
};

NetworkDescription published(const std::string& name) {
  return replay::read_network(std::string(TIMELESS_NETWORKS) + "/" + name + ".json");
}

/// Sizes but those within two per cent of where a truth changes.
void for_sizes(const NetworkDescription& truth, const std::function<void(std::uint64_t)>& check) {
  for (double size = 1; size < static_cast<double>(four_mebibytes) / 2; size *= 1.37) {
    const auto bytes = static_cast<std::uint64_t>(size);
    const bool near_a_break = std::ranges::any_of(truth.between_nodes.sizes, [&](const replay::MessageCosts& one) {
      return one.up_to != replay::MessageCosts::any_size &&
             std::abs(std::log(size / static_cast<double>(one.up_to))) < 0.3;
    });
    if (!near_a_break) check(bytes);
  }
}

double relative(double value, double reference) {
  return std::abs(value / reference - 1);
}

TEST_F(NetworkFit, of_the_published_tables_gives_them_back) {
  for (const char* name : {"lam-mpi-c", "lam-mpi-fortran"}) {
    const NetworkDescription truth = published(name);
    const auto fit = analysis::fit_network(test::measured_on(truth, four_mebibytes, 300, 2), "raw.csv");
    EXPECT_EQ(fit.eager_limit, truth.eager_limit);
    const NetworkDescription found = written(fit);
    for_sizes(truth, [&](std::uint64_t bytes) {
      EXPECT_LT(relative(test::half_round_trip(found, bytes), test::half_round_trip(truth, bytes)), 1e-5)
          << name << " " << bytes;
      if (bytes > *truth.eager_limit) return;
      const replay::MessageCosts& costs = truth.between_nodes.of(bytes);
      const replay::MessageCosts& fitted = found.between_nodes.of(bytes);
      EXPECT_LT(relative(fitted.send.fixed, costs.send.fixed), 1e-4) << name << " " << bytes;
      EXPECT_LT(relative(fitted.receive.fixed, costs.receive.fixed), 1e-4) << name << " " << bytes;
      EXPECT_LT(relative(fitted.latency, costs.latency), 1e-4) << name << " " << bytes;
      EXPECT_LT(relative(fitted.byte_time, costs.byte_time), 1e-4) << name << " " << bytes;
    });
  }
}

TEST_F(NetworkFit, of_the_published_tables_with_noise_and_outliers_is_near_them) {
  const NetworkDescription truth = published("lam-mpi-c");
  const auto fit = analysis::fit_network(
      test::measured_on(truth, four_mebibytes, 600, 5, {.noise = 0.1, .outliers = 0.01}), "raw.csv");
  EXPECT_EQ(fit.eager_limit, truth.eager_limit);
  const NetworkDescription found = written(fit);
  for_sizes(truth, [&](std::uint64_t bytes) {
    EXPECT_LT(relative(test::half_round_trip(found, bytes), test::half_round_trip(truth, bytes)), 0.05) << bytes;
  });
  EXPECT_LT(fit.between_nodes->curves.half_round_trip.pieces.size(), 8U);
}

// Five segments, as an MPI library has them on a link of about 10 GB/s, and an eager limit of no round number.
const char* const five = R"({"format": "timeless.network/1", "eager_limit_bytes": 63999, "between_nodes":
  {"model": "loggp", "latency_seconds": 8e-7, "segments": [
    {"up_to_bytes": 1000, "send_overhead_seconds": 2e-7, "receive_overhead_seconds": 2.5e-7, "seconds_per_byte": 4e-10},
    {"up_to_bytes": 12000, "send_overhead_seconds": 4e-7, "receive_overhead_seconds": 6e-7,
     "send_overhead_seconds_per_byte": 5e-11, "receive_overhead_seconds_per_byte": 7e-11, "seconds_per_byte": 1.8e-10},
    {"up_to_bytes": 63999, "latency_seconds": 3e-6, "send_overhead_seconds": 1.2e-6, "receive_overhead_seconds": 1.5e-6,
     "send_overhead_seconds_per_byte": 3e-11, "receive_overhead_seconds_per_byte": 2e-11, "seconds_per_byte": 9e-11},
    {"up_to_bytes": 3000000, "send_overhead_seconds": 5e-7, "seconds_per_byte": 9e-11, "handshake_seconds": 9e-6},
    {"send_overhead_seconds": 5e-7, "seconds_per_byte": 1.3e-10, "handshake_seconds": 6e-5}]}})";

TEST_F(NetworkFit, of_five_segments_with_noise_and_outliers_finds_them) {
  const NetworkDescription truth = truth_of(five);
  const auto fit = analysis::fit_network(
      test::measured_on(truth, four_mebibytes, 60, 5, {.noise = 0.1, .outliers = 0.01}), "raw.csv");
  EXPECT_EQ(fit.eager_limit, 63999U);
  EXPECT_GE(fit.between_nodes->curves.half_round_trip.pieces.size(), 3U);
  EXPECT_LE(fit.between_nodes->curves.half_round_trip.pieces.size(), 7U);
  const NetworkDescription found = written(fit);
  for_sizes(truth, [&](std::uint64_t bytes) {
    EXPECT_LT(relative(test::half_round_trip(found, bytes), test::half_round_trip(truth, bytes)), 0.08) << bytes;
  });
  EXPECT_LT(relative(fit.memory_copy->bytes_per_second, 2e10), 0.02);
  EXPECT_LT(relative(fit.reduction->bytes_per_second, 5e9), 0.02);
  EXPECT_GT(fit.between_nodes->curves.left_after_overlap->share, 0.9);
}

/// Whether an interval is there, with its number inside.
void expect_around(const nlohmann::json& interval, double number, const std::string& what) {
  ASSERT_TRUE(interval.is_array() && interval.size() == 2) << what;
  EXPECT_LE(interval[0].get<double>(), number * (1 + 1e-6)) << what;
  EXPECT_GE(interval[1].get<double>(), number * (1 - 1e-6)) << what;
}

TEST_F(NetworkFit, has_an_interval_for_every_number_over_launches_or_where_they_are_few_over_repetitions) {
  const NetworkDescription truth = truth_of(five);
  for (const std::uint32_t launches : {1U, 2U, 3U, 5U}) {
    const auto fit = analysis::fit_network(
        test::measured_on(truth, four_mebibytes, 60, launches, {.noise = 0.1, .outliers = 0.01}), "raw.csv");
    const auto file = nlohmann::json::parse(tools::network_text(fit, {}));
    const std::string over = launches < 3 ? "repetitions" : "launches";
    const nlohmann::json& link = file["provenance"]["between_nodes"];
    for (const char* curve : {"half_round_trip", "send", "isend", "receive", "interval_of_train"})
      for (const nlohmann::json& piece : link[curve]["pieces"]) {
        expect_around(piece["seconds_interval"], piece["seconds"], curve);
        expect_around(piece["seconds_per_byte_interval"], piece["seconds_per_byte"], curve);
        if (launches < 3) {
          EXPECT_EQ(piece["intervals_over"], "repetitions") << curve;
        }
      }
    EXPECT_EQ(link["half_round_trip"]["pieces"][0]["intervals_over"], over);
    const nlohmann::json& segments = file["between_nodes"]["segments"];
    ASSERT_EQ(link["loggp_intervals"].size(), segments.size());
    for (std::size_t place = 0; place < segments.size(); ++place)
      for (const auto& [key, interval] : link["loggp_intervals"][place].items())
        if (key != "up_to_bytes" && key != "intervals_over") expect_around(interval, segments[place][key], key);
    EXPECT_TRUE(link["loggp_intervals"].back().contains("handshake_seconds"));
    expect_around(link["hockney"]["latency_seconds_interval"], link["hockney"]["latency_seconds"], "hockney");
    expect_around(link["left_after_overlap_interval"], link["left_after_overlap"], "overlap");
    for (const nlohmann::json& collective : file["provenance"]["collectives"])
      for (const nlohmann::json& match : collective["algorithms"])
        expect_around(match["interval"], match["predicted_over_measured"], match["algorithm"]);
    EXPECT_EQ(file["provenance"]["memory_copy"]["interval_over"], over);
    EXPECT_THAT(tools::platform_text(fit, {}), testing::HasSubstr("; " + over + ": "));
  }
}

/// Has one launch take so many times as long.
void slow_down(ping::Raw& raw, std::size_t launch, double times) {
  for (ping::Raw::Line& line : raw.lines)
    if (line.launch == launch) line.measurement.seconds *= times;
}

TEST_F(NetworkFit, of_launches_that_differ_is_of_the_middle_one_and_its_intervals_hold_them) {
  const NetworkDescription truth = truth_of(five);
  const auto differ = testing::Contains(testing::HasSubstr("differ by more than repetitions within one"));
  constexpr double slower = 1.5;
  for (const std::uint32_t launches : {2U, 3U}) {
    auto raw = test::measured_on(truth, four_mebibytes, 20, launches, {.noise = 0.02, .outliers = 0.01});
    const auto alike = analysis::fit_network(raw, "raw.csv");
    EXPECT_THAT(alike.not_reached, testing::Not(differ));
    slow_down(raw, 1, slower);
    const auto fit = analysis::fit_network(raw, "raw.csv");
    EXPECT_THAT(fit.not_reached, differ);
    EXPECT_THAT(fit.not_reached,
                testing::Contains(testing::ContainsRegex(
                    launches == 2 ? "half round trips took .*1\\.2[123] times \\(launch 2\\) as long as in"
                                  : "half round trips took .*1\\.(49|5[01]) times \\(launch 2\\)")));
    const double middle = launches == 2 ? std::sqrt(slower) : 1;
    const analysis::Curve& curve = fit.between_nodes->curves.half_round_trip;
    EXPECT_LE(curve.pieces.size(), alike.between_nodes->curves.half_round_trip.pieces.size() + 2);
    for_sizes(truth, [&](std::uint64_t bytes) {
      const double expected = middle * test::half_round_trip(truth, bytes);
      EXPECT_LT(relative(curve(static_cast<double>(bytes)), expected), 0.06) << launches << " " << bytes;
    });
    for (const analysis::CurvePiece& piece : curve.pieces) {
      std::vector<double> parts;
      for (const analysis::Line& line : piece.parts.lines)
        parts.push_back(line(static_cast<double>(piece.up_to)) / piece.line(static_cast<double>(piece.up_to)));
      EXPECT_LT(std::ranges::min(parts), 1.05 / middle) << "the faster launch up to " << piece.up_to;
      EXPECT_GT(std::ranges::max(parts), 0.95 * slower / middle) << "the slower one up to " << piece.up_to;
    }
    const analysis::SegmentInterval& first = fit.between_nodes->intervals.front();
    const double send = truth.between_nodes.of(8).send.fixed;
    EXPECT_LT(first.low.send.intercept, 1.02 * send);
    EXPECT_GT(first.high.send.intercept, 0.98 * slower * send);
  }
}

TEST_F(NetworkFit, of_launches_that_differ_where_messages_are_small_follows_the_middle_one_there) {
  const NetworkDescription truth = truth_of(five);
  auto raw = test::measured_on(truth, four_mebibytes, 20, 2, {.noise = 0.02});
  for (ping::Raw::Line& line : raw.lines)
    if (line.launch == 1 && line.measurement.order.bytes <= 12000) line.measurement.seconds *= 1.5;
  const auto fit = analysis::fit_network(raw, "raw.csv");
  const analysis::Curve& curve = fit.between_nodes->curves.half_round_trip;
  for_sizes(truth, [&](std::uint64_t bytes) {
    const double middle = bytes <= 12000 ? std::sqrt(1.5) : 1;
    EXPECT_LT(relative(curve(static_cast<double>(bytes)), middle * test::half_round_trip(truth, bytes)), 0.06) << bytes;
  });
}

TEST_F(NetworkFit, is_not_certain_of_what_nothing_tells) {
  // Of messages of 64 KiB and more, 0.3 us that their request takes beside 0.1 ns a byte are lost in the noise.
  const NetworkDescription truth =
      truth_of(R"({"format": "timeless.network/1", "eager_limit_bytes": 65536, "between_nodes":
    {"model": "loggp", "latency_seconds": 5e-6, "segments": [
     {"send_overhead_seconds": 3e-7, "receive_overhead_seconds": 1.5e-6, "send_overhead_seconds_per_byte": 1e-10,
      "receive_overhead_seconds_per_byte": 2e-10, "seconds_per_byte": 1e-9}]}})");
  for (const std::uint32_t launches : {1U, 3U}) {
    const auto fit =
        analysis::fit_network(test::measured_on(truth, four_mebibytes, 60, launches, {.noise = 0.05}), "raw.csv");
    for (const analysis::CurvePiece& piece : fit.between_nodes->curves.isend.pieces) {
      if (piece.intercept.known() && piece.line.intercept == 0) {
        EXPECT_GT(piece.intercept.range.high, 0);
      }
      if (piece.slope.known() && piece.line.slope == 0) {
        EXPECT_GT(piece.slope.range.high, 0);
      }
    }
    const analysis::SegmentInterval& waits = fit.between_nodes->intervals.back();
    ASSERT_FALSE(waits.low.eager);
    // Intervals over repetitions are too narrow (docs/calibration.md): by a tenth at most.
    EXPECT_LE(waits.low.send.intercept, 1.1 * 3e-7);
    EXPECT_GT(waits.high.send.intercept, 3e-8) << "of " << launches << " launches";
  }
}

TEST_F(NetworkFit, has_no_bytes_time_in_a_platform_where_messages_have_none) {
  const NetworkDescription truth = truth_of(R"({"format": "timeless.network/1", "between_nodes":
    {"model": "loggp", "latency_seconds": 5e-6, "segments": [
     {"send_overhead_seconds": 9e-6, "receive_overhead_seconds": 9e-6, "send_overhead_seconds_per_byte": 1e-9,
      "receive_overhead_seconds_per_byte": 1e-9, "seconds_per_byte": 0}]}})");
  const auto fit = analysis::fit_network(test::measured_on(truth, four_mebibytes, 60, 1), "raw.csv");
  EXPECT_THAT(tools::platform_text(fit, {}), testing::HasSubstr(" bw=\"1e+14Bps\""));
}

TEST_F(NetworkFit, tells_what_travels_in_both_directions_at_once) {
  const NetworkDescription truth = truth_of(five);
  ping::Raw raw = test::measured_on(truth, four_mebibytes, 60, 3);
  const auto apart = analysis::fit_network(raw, "raw.csv");
  ASSERT_TRUE(apart.both_ways_between_nodes);
  EXPECT_NEAR(apart.both_ways_between_nodes->over_one_way, 2, 0.1);
  EXPECT_THAT(tools::platform_text(apart, {}), testing::HasSubstr("sharing_policy=\"SPLITDUPLEX\""));
  for (ping::Raw::Line& line : raw.lines)
    if (line.measurement.order.experiment == ping::Experiment::exchanges) line.measurement.seconds *= 2;
  const auto together = analysis::fit_network(raw, "raw.csv");
  EXPECT_NEAR(together.both_ways_between_nodes->over_one_way, 1, 0.05);
  EXPECT_THAT(tools::platform_text(together, {}), testing::HasSubstr("sharing_policy=\"SHARED\""));
  EXPECT_THAT(tools::network_text(together, {}), testing::HasSubstr("\"both_ways_between_nodes\""));
  std::erase_if(raw.lines, [](const ping::Raw::Line& line) {
    return line.measurement.order.experiment == ping::Experiment::exchanges;
  });
  EXPECT_THAT(analysis::fit_network(raw, "raw.csv").not_reached,
              testing::Contains(testing::HasSubstr("both directions at once was not measured")));
}

TEST_F(NetworkFit, counts_no_time_twice_in_any_of_its_models) {
  const NetworkDescription truth = truth_of(five);
  const auto fit = analysis::fit_network(test::measured_on(truth, four_mebibytes, 60, 2), "raw.csv");
  for (const tools::LinkModel model : {tools::LinkModel::loggp, tools::LinkModel::table}) {
    const NetworkDescription found = written(fit, model);
    EXPECT_EQ(found.memory_copy_byte_time, 0) << "overheads hold the copies";
    for_sizes(truth, [&](std::uint64_t bytes) {
      EXPECT_LT(relative(test::half_round_trip(found, bytes),
                         fit.between_nodes->curves.half_round_trip(static_cast<double>(bytes))),
                1e-5)
          << bytes;
    });
  }
}

TEST_F(NetworkFit, of_the_same_measurements_is_the_same_text) {
  const auto raw = test::measured_on(truth_of(five), four_mebibytes, 10, 3, {.noise = 0.1, .outliers = 0.01});
  const auto one = analysis::fit_network(raw, "raw.csv");
  const auto two = analysis::fit_network(raw, "raw.csv");
  EXPECT_EQ(tools::network_text(one, {}), tools::network_text(two, {}));
  EXPECT_EQ(tools::platform_text(one, {}), tools::platform_text(two, {}));
}

TEST_F(NetworkFit, is_the_same_in_whatever_order_launches_stand) {
  auto raw = test::measured_on(truth_of(five), four_mebibytes, 20, 3, {.noise = 0.1, .outliers = 0.01});
  for (std::size_t launch = 0; launch < raw.launches.size(); ++launch)
    raw.launches[launch].date = fmt::format("2026-11-23T01:3{}:00Z", launch);
  raw.cut = {"some of it", "another"};
  ping::Raw turned;
  turned.cut = {"another", "some of it"};
  for (const std::size_t launch : {2U, 0U, 1U}) {
    for (ping::Raw::Line line : raw.lines) {
      if (line.launch != launch) continue;
      line.launch = turned.launches.size();
      turned.lines.push_back(line);
    }
    turned.launches.push_back(raw.launches[launch]);
  }
  const auto one = analysis::fit_network(raw, "raw.csv");
  const auto other = analysis::fit_network(turned, "raw.csv");
  EXPECT_EQ(tools::network_text(one, {}), tools::network_text(other, {}));
  EXPECT_EQ(tools::platform_text(one, {}), tools::platform_text(other, {}));
}

/// Returns why measurements are invalid input of a fit; nothing where they are none.
std::string refusal(const ping::Raw& raw) {
  try {
    analysis::fit_network(raw, "raw.csv");
  } catch (const Error& error) {
    EXPECT_EQ(error.failure(), Failure::invalid_input);
    return error.description();
  }
  return {};
}

TEST_F(NetworkFit, refuses_too_few_round_trips_and_clocks_that_go_back) {
  auto raw = test::measured_on(truth_of(five), four_mebibytes, 5, 1);
  auto few = raw;
  few.lines.resize(5);
  EXPECT_THROW(analysis::fit_network(few, "raw.csv"), Error);
  auto twice = raw;
  twice.lines.insert(twice.lines.begin() + 7, twice.lines[6]);
  EXPECT_THAT(refusal(twice), testing::HasSubstr("began two measurements at once"));
  raw.lines.back().measurement.start = 0;
  EXPECT_THAT(refusal(raw), testing::HasSubstr("went back"));
}

TEST_F(NetworkFit, refuses_clocks_that_jump_ahead_of_the_launch) {
  auto raw = test::measured_on(truth_of(five), four_mebibytes, 5, 1);
  const ping::Measurement& last = raw.lines.back().measurement;
  raw.launches.front().elapsed = last.start + last.seconds + 0.5;
  EXPECT_NO_THROW(analysis::fit_network(raw, "raw.csv"));
  auto before_the_first = raw;
  for (ping::Raw::Line& line : before_the_first.lines)
    line.measurement.start += 3600;
  EXPECT_NO_THROW(analysis::fit_network(before_the_first, "raw.csv")) << "no measurement has that jump in it";
  auto between = raw;
  for (std::size_t line = between.lines.size() / 2; line < between.lines.size(); ++line)
    between.lines[line].measurement.start += 3600;
  EXPECT_THAT(refusal(between), testing::HasSubstr("went on by 36"));
  raw.lines.back().measurement.seconds += 3600;
  EXPECT_THAT(refusal(raw), testing::HasSubstr("went on by 36"));
  raw.lines.back().measurement.seconds = 1e300;
  EXPECT_THAT(refusal(raw), testing::HasSubstr("went on by 1e+300 seconds"));
}

TEST_F(NetworkFit, refuses_a_launch_that_is_there_twice_and_names_launches_that_differ) {
  auto raw = test::measured_on(truth_of(five), four_mebibytes, 5, 1);
  const auto lines = raw.lines;
  raw.launches.push_back(raw.launches.front());
  for (ping::Raw::Line line : lines) {
    line.launch = 1;
    raw.lines.push_back(line);
  }
  EXPECT_THROW(analysis::fit_network(raw, "raw.csv"), Error);
  const auto notes = [&] { return analysis::fit_network(raw, "raw.csv").not_reached; };
  const auto has = [](const char* what) { return testing::Contains(testing::HasSubstr(what)); };
  raw.launches.back().seed = raw.launches.front().seed + 1;
  EXPECT_THAT(notes(), testing::Not(has("different")));
  raw.launches.back().library = "another MPI";
  EXPECT_THAT(notes(), has("launches had different MPI libraries ("));
  raw.launches.back() = raw.launches.front();
  raw.launches.back().hosts = {"elsewhere", "there"};
  EXPECT_THAT(notes(), has("launches between nodes were on different hosts ("));
}

TEST_F(NetworkFit, has_the_eager_limit_of_each_kind_of_link) {
  auto raw = test::measured_on(truth_of(five), four_mebibytes, 60, 1);
  std::string other = five;
  other.replace(other.find("63999"), 5, "12000");
  auto near = test::measured_on(truth_of(other), four_mebibytes, 60, 1);
  near.launches.front().nodes = {0, 0};
  near.launches.front().seed = 2;
  for (ping::Raw::Line& line : near.lines)
    line.launch = 1;
  raw.launches.push_back(near.launches.front());
  raw.lines.insert(raw.lines.end(), near.lines.begin(), near.lines.end());
  const auto fit = analysis::fit_network(raw, "raw.csv");
  const NetworkDescription found = written(fit);
  EXPECT_EQ(found.eager_limit, 63999);
  EXPECT_EQ(found.eager_limit_within_node, 12000);
  const NetworkDescription truth = truth_of(other);
  // 12,001 to 63,999 bytes wait there, and their half round trip is that of such.
  for (const std::uint64_t bytes : {8000U, 20000U, 40000U}) {
    NetworkDescription within = found;
    within.between_nodes = found.within_node;
    within.eager_limit = found.eager_limit_within_node;
    EXPECT_LT(relative(test::half_round_trip(within, bytes), test::half_round_trip(truth, bytes)), 0.01) << bytes;
  }
}

TEST_F(NetworkFit, counts_the_pairs_that_a_port_carried_at_once) {
  constexpr double carried = 2e8; // bytes per second
  const auto ports = [&](const std::vector<int>& nodes, int second, double at_once) {
    auto raw = test::measured_on(truth_of(five), four_mebibytes, 30, 1);
    raw.launches.front().nodes = nodes;
    raw.launches.front().hosts.assign(nodes.size(), "host");
    std::erase_if(raw.lines, [](const ping::Raw::Line& line) {
      return line.measurement.order.experiment == ping::Experiment::pairs ||
             line.measurement.order.experiment == ping::Experiment::incast;
    });
    double start = raw.lines.back().measurement.start + 1;
    for (std::uint64_t bytes = 2'000'000; bytes <= 4'000'000; bytes += 100'000)
      for (const auto experiment : {ping::Experiment::pairs, ping::Experiment::incast}) {
        const double ways = experiment == ping::Experiment::pairs ? 2 : 1;
        ping::Measurement one{.order = {.experiment = experiment, .second = second, .bytes = bytes}, .start = start};
        one.seconds = ways * at_once * static_cast<double>(bytes) / carried;
        start += 1;
        raw.lines.push_back({0, one});
      }
    return analysis::fit_network(raw, "raw.csv");
  };
  const auto expect_port = [](const std::optional<analysis::PortRate>& port, std::uint32_t messages) {
    ASSERT_TRUE(port);
    EXPECT_EQ(port->messages, messages);
    EXPECT_NEAR(port->rate.bytes_per_second, carried, 1e-6 * carried);
  };
  const auto one_each = ports({0, 1, 2, 3}, 1, 1);
  expect_port(one_each.node_port, 1);
  expect_port(one_each.receiver_port, 1);
  EXPECT_THAT(one_each.not_reached, testing::Contains(testing::HasSubstr("one process on each node")));
  const auto three_and_one = ports({0, 0, 0, 1}, 3, 1);
  expect_port(three_and_one.node_port, 1);
  expect_port(three_and_one.receiver_port, 1);
  const auto two_each = ports({0, 0, 1, 1}, 2, 2);
  expect_port(two_each.node_port, 2);
  expect_port(two_each.receiver_port, 2);
}

TEST_F(NetworkFit, says_up_to_which_size_it_was_measured) {
  const auto fit = analysis::fit_network(test::measured_on(truth_of(five), 100000, 30, 1), "raw.csv");
  const std::uint64_t largest = fit.between_nodes->curves.half_round_trip.largest;
  EXPECT_GT(largest, 50000U);
  for (const tools::LinkModel model : {tools::LinkModel::loggp, tools::LinkModel::table, tools::LinkModel::hockney})
    EXPECT_EQ(written(fit, model).measured_between_nodes, largest);
  const std::string platform = directory_ / "fitted.xml";
  trace::test::write_bytes(platform, tools::platform_text(fit, {}));
  EXPECT_EQ(tools::platforms::head_of(platform).largest_between_nodes, largest);
  EXPECT_EQ(tools::platforms::head_of(platform).largest_within_node, largest);
}

TEST_F(NetworkFit, leaves_no_size_out_because_larger_ones_take_longer) {
  // Beyond 1 MiB a byte takes three times as long; few sizes are that large.
  const auto truth = [](double bytes) { return 0.5e-6 + bytes / (bytes <= 1 << 20 ? 8e9 : 2.5e9); };
  constexpr std::array noise{1.01, 0.98, 1.0, 1.02, 0.99};
  std::vector<analysis::SizePoint> points;
  for (double bytes = 64; bytes < 1 << 24; bytes *= 1.02)
    points.push_back({.launch = 0,
                      .bytes = static_cast<std::uint64_t>(bytes),
                      .seconds = noise[points.size() % noise.size()] * truth(bytes)});
  points[points.size() / 2].seconds *= 10;
  const analysis::Curve curve = analysis::fit_curve(points, 0.02);
  EXPECT_EQ(curve.outliers, 1U);
  EXPECT_EQ(curve.largest, points.back().bytes);
  EXPECT_NEAR(curve(static_cast<double>(curve.largest)), truth(static_cast<double>(curve.largest)),
              0.05 * truth(static_cast<double>(curve.largest)));
}

TEST_F(NetworkFit, says_that_the_largest_sizes_are_too_few_for_a_line_of_their_own) {
  auto raw = test::measured_on(truth_of(five), four_mebibytes, 30, 1);
  EXPECT_THAT(analysis::fit_network(raw, "raw.csv").not_reached,
              testing::Not(testing::Contains(testing::HasSubstr("than their fit says"))));
  std::vector<std::uint64_t> sizes;
  for (const ping::Raw::Line& line : raw.lines)
    if (line.measurement.order.experiment == ping::Experiment::round_trip)
      sizes.push_back(line.measurement.order.bytes);
  std::ranges::sort(sizes, std::ranges::greater{});
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  for (ping::Raw::Line& line : raw.lines)
    if (line.measurement.order.experiment == ping::Experiment::round_trip && line.measurement.order.bytes >= sizes[2])
      line.measurement.seconds *= 3;
  EXPECT_THAT(analysis::fit_network(raw, "raw.csv").not_reached,
              testing::Contains(testing::HasSubstr(
                  fmt::format("of {} to {} bytes take 200 % longer than their fit says", sizes[1], sizes[0]))));
}

TEST_F(NetworkFit, says_what_was_not_reached) {
  auto raw = test::measured_on(truth_of(five), four_mebibytes, 5, 1);
  std::erase_if(raw.lines, [](const ping::Raw::Line& line) {
    return line.measurement.order.experiment == ping::Experiment::delayed_send ||
           line.measurement.order.experiment == ping::Experiment::train;
  });
  const auto fit = analysis::fit_network(raw, "raw.csv");
  EXPECT_FALSE(fit.eager_limit);
  EXPECT_THAT(fit.not_reached, testing::IsSupersetOf({testing::HasSubstr("no eager limit was measured between nodes"),
                                                      testing::HasSubstr("too few trains"),
                                                      testing::HasSubstr("nothing was measured within a node")}));
}

TEST_F(NetworkFit, says_where_the_largest_message_asked_for_was_not_reached) {
  auto raw = test::measured_on(truth_of(five), four_mebibytes, 30, 1);
  const auto warning =
      testing::Contains(testing::AllOf(testing::HasSubstr("messages between nodes were measured up to"),
                                       testing::HasSubstr("and 67108864 were asked for")));
  raw.launches.back().most_bytes = four_mebibytes;
  EXPECT_THAT(analysis::fit_network(raw, "raw.csv").not_reached, testing::Not(warning));
  raw.launches.back().most_bytes = 16 * four_mebibytes;
  EXPECT_THAT(analysis::fit_network(raw, "raw.csv").not_reached, warning);
}

TEST_F(NetworkFit, says_where_the_last_launch_has_no_end) {
  auto raw = test::measured_on(truth_of(five), four_mebibytes, 5, 1);
  const auto warning = testing::Contains(testing::HasSubstr("did not come to its end"));
  EXPECT_THAT(analysis::fit_network(raw, "raw.csv").not_reached, testing::Not(warning)); // nobody timed it
  raw.launches.back().noise = "0.0123 0.0800 on a";
  EXPECT_THAT(analysis::fit_network(raw, "raw.csv").not_reached, warning);
  raw.launches.back().elapsed = 1e6;
  EXPECT_THAT(analysis::fit_network(raw, "raw.csv").not_reached, testing::Not(warning));
}

TEST_F(NetworkFit, tells_sizes_on_both_sides_of_a_break_apart) {
  const auto fit = analysis::fit_network(test::measured_on(truth_of(five), four_mebibytes, 60, 1), "raw.csv");
  const analysis::LinkCurves& curves = fit.main_link().curves;
  ASSERT_GT(curves.half_round_trip.pieces.size(), 1U);
  for (const analysis::MeasuredSizes& one : classes_by_size(curves.half_round_trips, curves.half_round_trip))
    EXPECT_EQ(&curves.half_round_trip.of(static_cast<double>(one.from)),
              &curves.half_round_trip.of(static_cast<double>(one.to)));
}

TEST_F(NetworkFit, lets_no_large_message_pass_in_no_time) {
  auto raw = test::measured_on(truth_of(five), four_mebibytes, 5, 1);
  for (ping::Raw::Line& line : raw.lines)
    if (line.measurement.order.experiment == ping::Experiment::round_trip && line.measurement.order.bytes > 100'000)
      line.measurement.seconds = 2e-3;
  const auto fit = analysis::fit_network(raw, "raw.csv");
  const auto& last = fit.main_link().curves.half_round_trip.pieces.back();
  EXPECT_NEAR(last.line(static_cast<double>(last.up_to)), 1e-3, 1e-5);
  EXPECT_NEAR(last.line.slope * static_cast<double>(last.up_to), 1e-3, 1e-5);
  EXPECT_NEAR(fit.main_link().curves.half_round_trip(200'000), 1e-3, 1e-5) << "not a part of it";
  EXPECT_THAT(fit.not_reached, testing::Contains(testing::HasSubstr("took as long whatever their size")));
}

TEST_F(NetworkFit, warns_where_ranks_that_waited_gave_their_processors_away) {
  auto raw = test::measured_on(truth_of(five), four_mebibytes, 5, 1);
  const auto warning = testing::Contains(testing::HasSubstr("mpi_yield_when_idle"));
  EXPECT_THAT(analysis::fit_network(raw, "raw.csv").not_reached, testing::Not(warning));
  raw.launches.back().waiting = "spins";
  EXPECT_THAT(analysis::fit_network(raw, "raw.csv").not_reached, testing::Not(warning));
  raw.launches.back().waiting = "yields";
  EXPECT_THAT(analysis::fit_network(raw, "raw.csv").not_reached, warning);
}

TEST_F(NetworkFit, knows_no_interval_of_what_one_measurement_gave) {
  auto raw = test::measured_on(truth_of(five), four_mebibytes, 60, 1);
  bool kept = false;
  std::erase_if(raw.lines, [&](const ping::Raw::Line& line) {
    const ping::Order& order = line.measurement.order;
    if (order.experiment != ping::Experiment::copy || order.bytes < 65536) return false;
    return std::exchange(kept, true);
  });
  const auto fit = analysis::fit_network(raw, "raw.csv");
  ASSERT_TRUE(fit.memory_copy);
  EXPECT_FALSE(fit.memory_copy->interval.known());
  const auto file = nlohmann::json::parse(tools::network_text(fit, {}));
  EXPECT_TRUE(file["provenance"]["memory_copy"]["interval"].is_null());
  EXPECT_TRUE(fit.reduction && fit.reduction->interval.known());
}

TEST_F(NetworkFit, says_what_was_cut_and_which_collectives_had_no_common_start) {
  auto raw = test::measured_on(truth_of(five), four_mebibytes, 60, 1);
  raw.without_common_start = 7;
  raw.cut = {"2 of 5 launches were made"};
  const auto notes = analysis::fit_network(raw, "raw.csv").not_reached;
  EXPECT_THAT(notes, testing::Contains("2 of 5 launches were made"));
  EXPECT_THAT(notes, testing::Contains(testing::ContainsRegex("^7 of [0-9]+ timings of collectives are left out")));
}

/// A machine of one segment, eight ranks, 10 us and 1 ns a byte.
analysis::FittedMachine simple_machine(const analysis::LogGpSegment& segment) {
  return {
      .message = [&](std::uint32_t, std::uint32_t, std::uint64_t) -> const analysis::LogGpSegment& { return segment; },
      .reduction_byte_time = 0};
}

TEST(CollectiveChoice, times_algorithms_as_their_formulas_say) {
  analysis::LogGpSegment segment;
  segment.latency = 1e-5;
  segment.byte_time = 1e-9;
  const analysis::FittedMachine machine = simple_machine(segment);
  using ping::Experiment;
  const double message = 1e-5 + 1e-9 * 80000;
  EXPECT_NEAR(analysis::algorithm_seconds(Experiment::broadcast, "binomial tree", 8, 80000, machine), 3 * message,
              1e-12);
  EXPECT_NEAR(analysis::algorithm_seconds(Experiment::allreduce, "recursive doubling", 8, 80000, machine), 3 * message,
              1e-12);
  EXPECT_NEAR(analysis::algorithm_seconds(Experiment::allgather, "ring", 8, 80000, machine), 7 * message, 1e-12);
  EXPECT_NEAR(analysis::algorithm_seconds(Experiment::allreduce, "Rabenseifner", 8, 80000, machine),
              6e-5 + 2 * 70000 * 1e-9, 1e-12);
  EXPECT_NEAR(analysis::algorithm_seconds(Experiment::barrier, "dissemination", 8, 0, machine), 3e-5, 1e-12);
}

TEST(CollectiveChoice, names_the_algorithm_that_was_measured) {
  analysis::LogGpSegment segment;
  segment.latency = 1e-5;
  segment.byte_time = 1e-9;
  const analysis::FittedMachine machine = simple_machine(segment);
  for (const char* algorithm : {"binomial tree", "scatter and ring"}) {
    std::map<analysis::SeriesKey, analysis::Series> series;
    for (const std::uint64_t bytes : {200000, 400000, 800000})
      series[{analysis::LinkKind::between_nodes, ping::Experiment::broadcast}].samples.push_back(
          {.launch = 0,
           .ranks = 8,
           .bytes = bytes,
           .start = 0,
           .seconds = 1.1 * analysis::algorithm_seconds(ping::Experiment::broadcast, algorithm, 8, bytes, machine),
           .spread = {}});
    const auto choices = analysis::collective_choices(series, machine);
    ASSERT_EQ(choices.size(), 1U);
    EXPECT_EQ(choices[0].algorithms.front().algorithm, algorithm);
    EXPECT_NEAR(choices[0].algorithms.front().predicted_over_measured, 1 / 1.1, 1e-9);
    EXPECT_TRUE(choices[0].told_apart);
    EXPECT_EQ(choices[0].above, 65536U);
    EXPECT_EQ(choices[0].up_to, ~std::uint64_t{0});
  }
}

TEST(CollectiveChoice, tells_no_algorithms_apart_that_send_the_same_or_all_miss_by_as_much) {
  analysis::LogGpSegment segment;
  segment.latency = 1e-5;
  segment.byte_time = 1e-9;
  const analysis::FittedMachine machine = simple_machine(segment);
  const auto told_apart = [&](std::uint32_t ranks, double slower) {
    std::map<analysis::SeriesKey, analysis::Series> series;
    for (const std::uint64_t bytes : {100, 200, 400})
      series[{analysis::LinkKind::between_nodes, ping::Experiment::scatter}].samples.push_back(
          {.launch = 0,
           .ranks = ranks,
           .bytes = bytes,
           .start = 0,
           .seconds =
               slower * analysis::algorithm_seconds(ping::Experiment::scatter, "binomial tree", ranks, bytes, machine),
           .spread = {}});
    return analysis::collective_choices(series, machine).at(0).told_apart;
  };
  EXPECT_TRUE(told_apart(8, 1));
  EXPECT_FALSE(told_apart(2, 1)) << "one message, whichever it is";
  EXPECT_FALSE(told_apart(8, 2)) << "what all miss is not the algorithm's";
}

// A reduction is one message by a binomial tree and two by Rabenseifner's algorithm; of the other collectives every
// algorithm sends the same.
TEST(CollectiveChoice, names_no_slower_algorithm_where_all_collectives_are_predicted_too_short) {
  using ping::Experiment;
  analysis::LogGpSegment segment;
  segment.latency = 1e-5;
  segment.byte_time = 1e-9;
  const analysis::FittedMachine machine = simple_machine(segment);
  const auto reduce_choice = [&](const char* algorithm, double slower, bool others) {
    std::map<analysis::SeriesKey, analysis::Series> series;
    const auto add = [&](Experiment collective, const char* by) {
      for (const std::uint64_t bytes : {100, 200, 400})
        series[{analysis::LinkKind::between_nodes, collective}].samples.push_back(
            {.launch = 0,
             .ranks = 2,
             .bytes = bytes,
             .start = 0,
             .seconds = slower * analysis::algorithm_seconds(collective, by, 2, bytes, machine),
             .spread = {}});
    };
    add(Experiment::reduce, algorithm);
    if (others) {
      add(Experiment::scatter, "linear");
      add(Experiment::scan, "recursive doubling");
      add(Experiment::alltoall, "pairwise");
    }
    for (const analysis::CollectiveChoice& one : analysis::collective_choices(series, machine))
      if (one.collective == Experiment::reduce) return one;
    return analysis::CollectiveChoice{};
  };
  const auto slow = reduce_choice("binomial tree", 1.6, true);
  EXPECT_EQ(slow.algorithms.front().algorithm, "Rabenseifner");
  EXPECT_LT(slow.algorithms.front().predicted_over_measured, 1.25);
  EXPECT_FALSE(slow.told_apart);
  EXPECT_TRUE(reduce_choice("binomial tree", 1.6, false).told_apart) << "nothing says that all take longer";
  EXPECT_TRUE(reduce_choice("binomial tree", 1.2, true).told_apart) << "the fastest, though all take longer";
  EXPECT_TRUE(reduce_choice("Rabenseifner", 1, true).told_apart);
}

} // namespace
} // namespace timeless
