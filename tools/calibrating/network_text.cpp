#include "tools/calibrating/network_text.h"

#include "base/error.h"
#include "tools/cli/joined_words.h"
#include "tools/cli/json_text.h"
#include "tools/version.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <set>

namespace timeless::tools {

namespace {

using analysis::Curve;
using analysis::CurvePiece;
using analysis::FittedLink;
using analysis::LogGpSegment;
using analysis::NetworkFit;
using nlohmann::ordered_json;

/// Null where nobody knows it.
ordered_json of_interval(const analysis::FitInterval& interval) {
  if (!interval.known()) return nullptr;
  return {seven_digits(interval.range.low), seven_digits(interval.range.high)};
}

/// Adds an interval and what it is over: intervals over repetitions are too narrow.
void add_interval(ordered_json& json, const analysis::FitInterval& interval) {
  json["interval"] = of_interval(interval);
  json["interval_over"] = name(interval.over);
}

ordered_json of_curve(const Curve& curve) {
  ordered_json pieces = ordered_json::array();
  for (const CurvePiece& piece : curve.pieces)
    pieces.push_back({{"up_to_bytes", piece.up_to},
                      {"sizes_measured", piece.points},
                      {"seconds", seven_digits(piece.line.intercept)},
                      {"seconds_interval", of_interval(piece.intercept)},
                      {"seconds_per_byte", seven_digits(piece.line.slope)},
                      {"seconds_per_byte_interval", of_interval(piece.slope)},
                      {"intervals_over", name(piece.intercept.over)},
                      {"rms_relative_error", seven_digits(piece.rms)}});
  return {{"bytes", {curve.smallest, curve.largest}},
          {"outliers", curve.outliers},
          {"rms_relative_error", seven_digits(curve.rms)},
          {"median_relative_error", seven_digits(curve.median_error)},
          {"pieces", pieces}};
}

ordered_json of_limit(const std::optional<analysis::EagerLimit>& limit) {
  if (!limit) return nullptr;
  return {{"eager", limit->at_least}, {"waits", limit->below ? ordered_json(*limit->below) : ordered_json(nullptr)}};
}

/// The interval of each parameter of the network file's segments.
ordered_json of_segments(const FittedLink& link) {
  ordered_json all = ordered_json::array();
  for (const analysis::SegmentInterval& one : link.intervals) {
    const auto range = [&](double low, double high) -> ordered_json {
      return one.parts < 2 ? ordered_json() : ordered_json{seven_digits(low), seven_digits(high)};
    };
    const LogGpSegment& low = one.low;
    const LogGpSegment& high = one.high;
    ordered_json segment{{"up_to_bytes", low.up_to}, {"intervals_over", name(one.over)}};
    segment["latency_seconds"] = range(low.latency, high.latency);
    if (link.curves.send) {
      segment["send_overhead_seconds"] = range(low.send.intercept, high.send.intercept);
      segment["send_overhead_seconds_per_byte"] = range(low.send.slope, high.send.slope);
    }
    segment["nonblocking_send_overhead_seconds"] = range(low.isend.intercept, high.isend.intercept);
    segment["nonblocking_send_overhead_seconds_per_byte"] = range(low.isend.slope, high.isend.slope);
    // What the receiver does of a message that waits is not measured apart.
    if (low.eager && link.curves.receive) {
      segment["receive_overhead_seconds"] = range(low.receive.intercept, high.receive.intercept);
      segment["receive_overhead_seconds_per_byte"] = range(low.receive.slope, high.receive.slope);
    }
    segment["seconds_per_byte"] = range(low.byte_time, high.byte_time);
    if (low.gap && high.gap) segment["gap_seconds"] = range(*low.gap, *high.gap);
    if (!low.eager) segment["handshake_seconds"] = range(low.handshake, high.handshake);
    all.push_back(segment);
  }
  return all;
}

ordered_json evidence(const FittedLink& link) {
  const analysis::LinkCurves& curves = link.curves;
  ordered_json all{{"half_round_trip", of_curve(curves.half_round_trip)}};
  all["half_round_trip"]["by_size"] = sizes_json(curves);
  if (curves.send) all["send"] = of_curve(curves.send);
  if (curves.isend) all["isend"] = of_curve(curves.isend);
  if (curves.receive) all["receive"] = of_curve(curves.receive);
  if (curves.interval) all["interval_of_train"] = of_curve(curves.interval);
  all["loggp_intervals"] = of_segments(link);
  all["hockney"] = {{"latency_seconds", seven_digits(curves.hockney.intercept)},
                    {"latency_seconds_interval", of_interval(curves.hockney_intercept)},
                    {"seconds_per_byte", seven_digits(curves.hockney.slope)},
                    {"seconds_per_byte_interval", of_interval(curves.hockney_slope)},
                    {"intervals_over", name(curves.hockney_slope.over)},
                    {"rms_relative_error", seven_digits(curves.hockney_rms)}};
  all["eager_limit_of_send_bytes"] = of_limit(curves.send_limit);
  all["eager_limit_of_isend_bytes"] = of_limit(curves.isend_limit);
  if (curves.left_after_overlap) {
    all["left_after_overlap"] = seven_digits(curves.left_after_overlap->share);
    all["left_after_overlap_interval"] = of_interval(curves.left_after_overlap->interval);
  }
  all["samples"] = curves.samples;
  all["samples_left_out_as_warm_up"] = curves.warm_up;
  ordered_json cut = ordered_json::array();
  for (const LogGpSegment& segment : link.segments)
    if (segment.overheads_cut) cut.push_back(segment.up_to);
  all["overheads_cut_in_segments_up_to_bytes"] = cut;
  return all;
}

ordered_json of_rate(const analysis::MeasuredRate& rate) {
  ordered_json json{{"bytes_per_second", seven_digits(rate.bytes_per_second)}};
  add_interval(json, rate.interval);
  json["bytes"] = {rate.from, rate.to};
  return json;
}

ordered_json of_port(const analysis::PortRate& port) {
  ordered_json json = of_rate(port.rate);
  json["messages_at_once"] = port.messages;
  json["capacity_bytes_per_second"] = seven_digits(port.capacity);
  json["capacity_interval"] = of_interval(port.capacity_interval);
  return json;
}

ordered_json of_both_ways(const analysis::BothWays& both) {
  ordered_json json = of_rate(both.port.rate);
  json["messages_at_once"] = both.port.messages;
  json["over_one_way"] = seven_digits(both.over_one_way);
  return json;
}

void add_algorithm(ordered_json& algorithms, const analysis::AlgorithmMatch& match) {
  ordered_json json{{"algorithm", match.algorithm},
                    {"predicted_over_measured", seven_digits(match.predicted_over_measured)}};
  add_interval(json, match.interval);
  algorithms.push_back(std::move(json));
}

ordered_json of_collectives(const NetworkFit& fit) {
  ordered_json all = ordered_json::array();
  for (const analysis::CollectiveChoice& one : fit.collectives) {
    ordered_json algorithms = ordered_json::array();
    for (const analysis::AlgorithmMatch& match : one.algorithms)
      add_algorithm(algorithms, match);
    all.push_back({{"collective", ping::name(one.collective)},
                   {"ranks", one.ranks},
                   {"bytes", {one.from, one.to}},
                   {"samples", one.samples},
                   {"told_apart", one.told_apart},
                   {"algorithms", algorithms}});
  }
  return all;
}

ordered_json provenance(const NetworkFit& fit) {
  std::set<std::string> libraries;
  ordered_json dates = ordered_json::array();
  ordered_json seeds = ordered_json::array();
  std::set<std::string> waiting;
  for (const ping::MeasurementContext& launch : fit.launches) {
    libraries.insert(launch.library);
    dates.push_back(launch.date);
    seeds.push_back(launch.seed);
    if (!launch.waiting.empty()) waiting.insert(launch.waiting);
  }
  ordered_json all{{"how", "timeless calibrate network: measurements of timeless-mpi ping, fitted"},
                   {"timeless", version},
                   {"mpi", libraries},
                   {"hosts", measured_hosts(fit)},
                   {"launches", fit.launches.size()},
                   {"dates", dates},
                   {"seeds", seeds},
                   {"measurements", fit.measurements}};
  if (!waiting.empty()) all["waiting"] = waiting;
  ordered_json noise = ordered_json::array();
  for (const Noise& one : noises(fit))
    noise.push_back(to_json(one));
  if (!noise.empty()) all["noise"] = noise;
  if (fit.between_nodes) all["between_nodes"] = evidence(*fit.between_nodes);
  if (fit.within_node) all["within_node"] = evidence(*fit.within_node);
  if (fit.memory_copy) all["memory_copy"] = of_rate(*fit.memory_copy);
  if (fit.reduction) all["reduction"] = of_rate(*fit.reduction);
  if (fit.node_port) all["node_port"] = of_port(*fit.node_port);
  if (fit.receiver_port) all["receiver_port"] = of_port(*fit.receiver_port);
  if (fit.both_ways_between_nodes) all["both_ways_between_nodes"] = of_both_ways(*fit.both_ways_between_nodes);
  if (fit.both_ways_within_node) all["both_ways_within_node"] = of_both_ways(*fit.both_ways_within_node);
  all["collectives"] = of_collectives(fit);
  all["not_reached"] = fit.not_reached;
  return all;
}

ordered_json loggp_of(const FittedLink& link) {
  ordered_json segments = ordered_json::array();
  for (std::size_t place = 0; place < link.segments.size(); ++place) {
    const LogGpSegment& from = link.segments[place];
    ordered_json segment;
    if (place + 1 < link.segments.size()) segment["up_to_bytes"] = from.up_to;
    segment["latency_seconds"] = seven_digits(from.latency);
    segment["send_overhead_seconds"] = seven_digits(from.send.intercept);
    segment["send_overhead_seconds_per_byte"] = seven_digits(from.send.slope);
    segment["nonblocking_send_overhead_seconds"] = seven_digits(from.isend.intercept);
    segment["nonblocking_send_overhead_seconds_per_byte"] = seven_digits(from.isend.slope);
    segment["receive_overhead_seconds"] = seven_digits(from.receive.intercept);
    segment["receive_overhead_seconds_per_byte"] = seven_digits(from.receive.slope);
    segment["seconds_per_byte"] = seven_digits(from.byte_time);
    if (from.gap) segment["gap_seconds"] = seven_digits(*from.gap);
    if (!from.eager) segment["handshake_seconds"] = seven_digits(from.handshake);
    segments.push_back(segment);
  }
  return {{"model", "loggp"}, {"latency_seconds", seven_digits(link.segments.front().latency)}, {"segments", segments}};
}

/// Both ends of each piece: times between them are on its line.
ordered_json table_of(const FittedLink& link) {
  const Curve& curve = link.curves.half_round_trip;
  ordered_json rows = ordered_json::array();
  std::uint64_t from = 0;
  for (const CurvePiece& piece : curve.pieces) {
    for (const std::uint64_t bytes : {from, piece.up_to})
      if (rows.empty() || rows.back()[0] < bytes)
        rows.push_back({bytes, seven_digits(piece.line(static_cast<double>(bytes)))});
    from = piece.up_to + 1;
  }
  const auto seconds = [&](std::size_t from_end) { return rows[rows.size() - from_end][1].get<double>(); };
  const bool positive = std::ranges::all_of(rows, [](const ordered_json& row) { return row[1].get<double>() > 0; });
  if (rows.size() < 2 || !positive || seconds(1) <= seconds(2))
    throw Error(Failure::invalid_input, "larger messages take no longer, or no time at all: such a table says nothing",
                "", "write the network with --model loggp");
  return {{"model", "table"}, {"bytes_and_seconds", rows}};
}

ordered_json hockney_of(const FittedLink& link) {
  if (!has_bandwidth(link.curves.hockney))
    throw Error(Failure::invalid_input, "larger messages take no longer: there is no bandwidth for a line", "",
                "write the network with --model loggp");
  return {{"model", "hockney"},
          {"latency_seconds", seven_digits(link.curves.hockney.intercept)},
          {"bandwidth_bytes_per_second", seven_digits(1 / link.curves.hockney.slope)}};
}

ordered_json link_of(const FittedLink& link, LinkModel model) {
  ordered_json json = model == LinkModel::table     ? table_of(link)
                      : model == LinkModel::hockney ? hockney_of(link)
                                                    : loggp_of(link);
  json["measured_up_to_bytes"] = link.curves.half_round_trip.largest;
  return json;
}

/// What `replay --collectives measured` follows.
ordered_json algorithms_told_apart(const NetworkFit& fit) {
  ordered_json rows = ordered_json::array();
  for (const analysis::CollectiveChoice& one : fit.collectives) {
    if (!one.told_apart) continue;
    ordered_json row{{"collective", ping::name(one.collective)}, {"ranks", one.ranks}};
    if (one.above > 0) row["above_bytes"] = one.above;
    if (one.up_to != ~std::uint64_t{0}) row["up_to_bytes"] = one.up_to;
    row["algorithm"] = one.algorithms.front().algorithm;
    rows.push_back(std::move(row));
  }
  return rows;
}

} // namespace

ordered_json sizes_json(const analysis::LinkCurves& curves) {
  ordered_json classes = ordered_json::array();
  for (const analysis::MeasuredSizes& one : classes_by_size(curves.half_round_trips, curves.half_round_trip))
    classes.push_back({{"bytes", {one.from, one.to}},
                       {"points", one.points},
                       {"measured_seconds", seven_digits(one.measured)},
                       {"fitted_seconds", seven_digits(one.fitted)},
                       {"residual", seven_digits(one.residual)},
                       {"residual_quartiles", {seven_digits(one.low), seven_digits(one.high)}}});
  return classes;
}

std::vector<std::string> measured_hosts(const NetworkFit& fit) {
  std::vector<std::string> hosts;
  for (const ping::MeasurementContext& launch : fit.launches)
    for (const std::string& host : launch.hosts)
      if (std::ranges::find(hosts, host) == hosts.end()) hosts.push_back(host);
  return hosts;
}

std::vector<Noise> noises(const NetworkFit& fit) {
  std::vector<Noise> all;
  for (const ping::MeasurementContext& launch : fit.launches)
    if (const auto noise = read_noise(launch.noise)) all.push_back(*noise);
  return all;
}

bool has_bandwidth(const analysis::Line& line) {
  constexpr double least = 1e-30; // seconds
  return line.slope > least;
}

double seven_digits(double value) {
  const std::string text = fmt::format("{:.7g}", value);
  double read = value;
  std::from_chars(text.data(), text.data() + text.size(), read);
  return read;
}

std::string source_words(const analysis::NetworkFit& fit) {
  const ping::MeasurementContext& first = fit.launches.front();
  // The library's own words end in a list of where it was built.
  const std::string library = first.library.substr(0, std::min<std::size_t>(first.library.find(','), 60));
  std::string words = fmt::format(
      "timeless calibrate network, {}, {} on {}; {}", first.date.empty() ? "of no date" : first.date.substr(0, 10),
      fit.launches.size() == 1 ? "1 launch" : fmt::format("{} launches", fit.launches.size()),
      joined_words(measured_hosts(fit), 4), library);
  // Of a damaged file; what is written must be read again, whose texts are short and printable.
  std::ranges::replace_if(
      words, [](char one) { return one < ' ' || one > '~'; }, '?');
  return words;
}

std::string network_text(const analysis::NetworkFit& fit, const FileWords& words) {
  ordered_json file{{"format", "timeless.network/1"}};
  if (!words.name.empty()) file["name"] = words.name;
  file["description"] = fit.between_nodes ? "measured between nodes" : "measured within one node";
  file["source"] = source_words(fit).substr(0, 200);
  file["between_nodes"] = link_of(fit.main_link(), words.model);
  if (fit.within_node && fit.between_nodes) {
    file["within_node"] = link_of(*fit.within_node, words.model);
    if (fit.eager_limit_within_node != fit.eager_limit)
      file["within_node"]["eager_limit_bytes"] =
          fit.eager_limit_within_node ? ordered_json(*fit.eager_limit_within_node) : ordered_json("none");
  }
  if (fit.reduction) file["reduction_bytes_per_second"] = seven_digits(fit.reduction->bytes_per_second);
  // The times of the other models hold the agreement already.
  if (fit.eager_limit) file["eager_limit_bytes"] = *fit.eager_limit;
  file["handshake_latencies"] = words.model == LinkModel::loggp ? analysis::handshake_latencies : 0;
  if (ordered_json rows = algorithms_told_apart(fit); !rows.empty()) file["collectives"] = std::move(rows);
  file["provenance"] = provenance(fit);
  return json_text(file, 2) + "\n";
}

} // namespace timeless::tools
