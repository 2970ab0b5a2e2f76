#include "tools/render/calibration/measurements.h"

#include "analysis/statistics/quantiles.h"
#include "tools/calibrating/network_text.h"
#include "tools/cli/console.h"
#include "tools/render/calibration/network.h"
#include "tools/render/calibration/plot.h"

#include "base/units.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <map>
#include <vector>

namespace timeless::tools {

namespace {

using analysis::Curve;
using analysis::FittedLink;
using analysis::SizePoint;
using nlohmann::ordered_json;

constexpr double percents = 100;

/// Points of nearly one size, beside the curve.
struct SizeClass {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::size_t points = 0;
  double measured = 0; ///< the median, seconds
  double fitted = 0;   ///< the median of the curve at these sizes
  double residual = 0; ///< the median of measured / fitted - 1
  double low = 0;      ///< its quartiles
  double high = 0;
};

std::vector<SizeClass> size_classes(const std::vector<SizePoint>& points, const Curve& curve) {
  constexpr unsigned bits_of_a_class = 2;
  std::map<unsigned, std::vector<SizePoint>> by_size;
  for (const SizePoint& one : points)
    by_size[static_cast<unsigned>(std::bit_width(one.bytes)) / bits_of_a_class].push_back(one);
  std::vector<SizeClass> classes;
  for (const auto& [size, near] : by_size) {
    SizeClass one{.from = ~std::uint64_t{0}, .points = near.size()};
    std::vector<double> measured;
    std::vector<double> fitted;
    std::vector<double> residuals;
    for (const SizePoint& point : near) {
      one.from = std::min(one.from, point.bytes);
      one.to = std::max(one.to, point.bytes);
      measured.push_back(point.seconds);
      fitted.push_back(curve(static_cast<double>(point.bytes)));
      residuals.push_back(fitted.back() > 0 ? point.seconds / fitted.back() - 1 : 0);
    }
    one.measured = analysis::median(measured);
    one.fitted = analysis::median(fitted);
    one.residual = analysis::median(residuals);
    one.low = analysis::quantile(residuals, 0.25);
    one.high = analysis::quantile(residuals, 0.75);
    classes.push_back(one);
  }
  return classes;
}

ordered_json link_json(const FittedLink& link) {
  ordered_json classes = ordered_json::array();
  for (const SizeClass& one : size_classes(link.curves.half_round_trips, link.curves.half_round_trip))
    classes.push_back({{"bytes", {one.from, one.to}},
                       {"points", one.points},
                       {"measured_seconds", one.measured},
                       {"fitted_seconds", one.fitted},
                       {"residual", one.residual},
                       {"residual_quartiles", {one.low, one.high}}});
  ordered_json points = ordered_json::array();
  for (const SizePoint& one : link.curves.half_round_trips)
    points.push_back({one.bytes, one.seconds, link.curves.half_round_trip(static_cast<double>(one.bytes))});
  return {{"half_round_trip", {{"by_size", classes}, {"bytes_measured_fitted", points}}}};
}

std::string link_text(const FittedLink& link, const char* where) {
  const Curve& curve = link.curves.half_round_trip;
  std::string text = text_line("half a round trip {}", where);
  Table table({"bytes", "points", "measured", "fitted", "residual", "quartiles"});
  for (const SizeClass& one : size_classes(link.curves.half_round_trips, curve))
    table.add({fmt::format("{}-{}", one.from, one.to), std::to_string(one.points), human_seconds(one.measured),
               human_seconds(one.fitted), fmt::format("{:+.1f} %", percents * one.residual),
               fmt::format("{:+.1f} to {:+.1f} %", percents * one.low, percents * one.high)});
  text += table.text() + "\n" + plot(link.curves.half_round_trips, curve) + "\n";
  text += text_line("{} pieces; rms {:.1f} %, median error {:.1f} %; {} outliers left out", curve.pieces.size(),
                    percents * curve.rms, percents * curve.median_error, curve.outliers);
  const auto add = [&](const char* name, const Curve& other) {
    if (other)
      text += text_line("{}: {} pieces, rms {:.1f} %, median error {:.1f} %, up to {} bytes", name, other.pieces.size(),
                        percents * other.rms, percents * other.median_error, other.largest);
  };
  add("MPI_Send", link.curves.send);
  add("MPI_Isend", link.curves.isend);
  add("MPI_Recv", link.curves.receive);
  add("a message of a train", link.curves.interval);
  return text + "\n";
}

} // namespace

ordered_json to_json(const MeasurementsAnswer& answer) {
  ordered_json json{{"file", answer.file}};
  if (answer.fit.between_nodes) json["between_nodes"] = link_json(*answer.fit.between_nodes);
  if (answer.fit.within_node) json["within_node"] = link_json(*answer.fit.within_node);
  json["network"] = ordered_json::parse(network_text(answer.fit, {}));
  return json;
}

std::string to_text(const MeasurementsAnswer& answer) {
  std::string text = text_line("{} measurements: {}", answer.fit.measurements, source_words(answer.fit)) + "\n";
  if (answer.fit.between_nodes) text += link_text(*answer.fit.between_nodes, "between nodes");
  if (answer.fit.within_node) text += link_text(*answer.fit.within_node, "within a node");
  text += both_ways_text(answer.fit);
  for (const std::string& note : answer.fit.not_reached)
    text += text_line("not reached  {}", note);
  return text;
}

ordered_json to_json(const ProvenanceAnswer& answer) {
  return {{"file", answer.file}, {"network", answer.network}};
}

namespace {

std::string interval_text(const ordered_json& piece, const char* key, double scale) {
  const ordered_json interval = piece.value(key, ordered_json());
  if (!interval.is_array() || interval.size() != 2) return "-";
  return fmt::format("{:.4g}-{:.4g}", scale * interval[0].get<double>(), scale * interval[1].get<double>());
}

/// As the file has it.
Curve curve_of(const ordered_json& json) {
  Curve curve;
  curve.smallest = json.at("bytes").at(0).get<std::uint64_t>();
  curve.largest = json.at("bytes").at(1).get<std::uint64_t>();
  for (const ordered_json& piece : json.at("pieces"))
    curve.pieces.push_back(
        {.up_to = piece.at("up_to_bytes").get<std::uint64_t>(),
         .points = piece.at("sizes_measured").get<std::size_t>(),
         .line = {.intercept = piece.at("seconds").get<double>(), .slope = piece.at("seconds_per_byte").get<double>()},
         .rms = 0});
  return curve;
}

/// The intervals of LogGP's parameters, as the file has them.
std::string loggp_intervals_text(const ordered_json& link, const char* where) {
  if (!link.contains("loggp_intervals") || link.at("loggp_intervals").empty()) return {};
  constexpr double nano = 1e9;
  const auto range = [&](const ordered_json& segment, const char* key) -> std::string {
    if (!segment.contains(key)) return "-";
    return interval_text(segment, key, nano);
  };
  const ordered_json& segments = link.at("loggp_intervals");
  std::string text =
      text_line("LogGP {}: intervals over {}, ns", where, segments.front().at("intervals_over").get<std::string>());
  Table table({"up to bytes", "latency", "send", "receive", "per byte", "gap", "handshake"});
  for (const ordered_json& one : segments)
    table.add({std::to_string(one.at("up_to_bytes").get<std::uint64_t>()), range(one, "latency_seconds"),
               range(one, "send_overhead_seconds"), range(one, "receive_overhead_seconds"),
               range(one, "seconds_per_byte"), range(one, "gap_seconds"), range(one, "handshake_seconds")});
  return text + table.text() + "\n";
}

std::string provenance_text(const ordered_json& link, const char* where) {
  constexpr double micro = 1e6;
  constexpr double nano = 1e9;
  std::string text;
  for (const char* curve : {"half_round_trip", "send", "isend", "receive", "interval_of_train"}) {
    if (!link.contains(curve)) continue;
    text += text_line("{} {}: rms {:.1f} %", curve, where,
                      percents * link.at(curve).at("rms_relative_error").get<double>());
    Table table({"up to bytes", "sizes", "us", "interval", "ns/byte", "interval", "rms"});
    for (const ordered_json& piece : link.at(curve).at("pieces"))
      table.add({std::to_string(piece.at("up_to_bytes").get<std::uint64_t>()),
                 std::to_string(piece.at("sizes_measured").get<std::uint64_t>()),
                 fmt::format("{:.4g}", micro * piece.at("seconds").get<double>()),
                 interval_text(piece, "seconds_interval", micro),
                 fmt::format("{:.4g}", nano * piece.at("seconds_per_byte").get<double>()),
                 interval_text(piece, "seconds_per_byte_interval", nano),
                 fmt::format("{:.1f} %", percents * piece.at("rms_relative_error").get<double>())});
    text += table.text() + "\n";
  }
  return text + loggp_intervals_text(link, where) + plot({}, curve_of(link.at("half_round_trip"))) + "\n";
}

std::string port_text(const ordered_json& rests_on, const char* key, const char* what) {
  if (!rests_on.contains(key)) return {};
  constexpr double giga = 1e-9;
  const ordered_json& port = rests_on.at(key);
  std::string text =
      fmt::format("{}: {:.3g} GB/s, {:.3g} to {:.3g}", what, giga * port.at("bytes_per_second").get<double>(),
                  giga * port.at("interval").at(0).get<double>(), giga * port.at("interval").at(1).get<double>());
  if (port.contains("over_one_way")) text += fmt::format("; {:.2f} of one way", port.at("over_one_way").get<double>());
  return text_line("{}", text);
}

} // namespace

std::string to_text(const ProvenanceAnswer& answer) {
  const ordered_json& rests_on = answer.network.at("provenance");
  std::string text = text_line("{}", answer.network.value("source", std::string())) + "\n";
  if (rests_on.contains("between_nodes")) text += provenance_text(rests_on.at("between_nodes"), "between nodes");
  if (rests_on.contains("within_node")) text += provenance_text(rests_on.at("within_node"), "within a node");
  text += port_text(rests_on, "node_port", "node's port, one way");
  text += port_text(rests_on, "receiver_port", "receiver's port");
  text += port_text(rests_on, "both_ways_between_nodes", "both ways at once between nodes");
  text += port_text(rests_on, "both_ways_within_node", "both ways at once within a node");
  for (const ordered_json& note : rests_on.value("not_reached", ordered_json::array()))
    text += text_line("not reached  {}", note.get<std::string>());
  return text;
}

} // namespace timeless::tools
