#include "tools/render/calibration/provenance.h"

#include "analysis/calibration/network/curve.h"
#include "base/escaping.h"
#include "base/units.h"
#include "tools/calibrating/noise.h"
#include "tools/cli/console.h"
#include "tools/render/calibration/plot.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <vector>

namespace timeless::tools {

namespace {

using analysis::Curve;
using nlohmann::ordered_json;

constexpr double percent_of_one = 100;

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

/// The middle of each class of sizes stands for its points.
std::vector<analysis::SizePoint> points_of(const ordered_json& sizes) {
  std::vector<analysis::SizePoint> points;
  for (const ordered_json& one : sizes) {
    const double middle = std::sqrt(one.at("bytes").at(0).get<double>() * one.at("bytes").at(1).get<double>());
    points.push_back(
        {.bytes = static_cast<std::uint64_t>(middle), .seconds = one.at("measured_seconds").get<double>()});
  }
  return points;
}

std::string provenance_text(const ordered_json& link, const char* where) {
  constexpr double micro = 1e6;
  constexpr double nano = 1e9;
  std::string text;
  for (const char* curve : {"half_round_trip", "send", "isend", "receive", "interval_of_train"}) {
    if (!link.contains(curve)) continue;
    text += text_line("{} {}: rms {:.1f} %", curve, where,
                      percent_of_one * link.at(curve).at("rms_relative_error").get<double>());
    Table table({"up to bytes", "sizes", "us", "interval", "ns/byte", "interval", "rms"});
    for (const ordered_json& piece : link.at(curve).at("pieces"))
      table.add({std::to_string(piece.at("up_to_bytes").get<std::uint64_t>()),
                 std::to_string(piece.at("sizes_measured").get<std::uint64_t>()),
                 fmt::format("{:.4g}", micro * piece.at("seconds").get<double>()),
                 interval_text(piece, "seconds_interval", micro),
                 fmt::format("{:.4g}", nano * piece.at("seconds_per_byte").get<double>()),
                 interval_text(piece, "seconds_per_byte_interval", nano),
                 fmt::format("{:.1f} %", percent_of_one * piece.at("rms_relative_error").get<double>())});
    text += table.text() + "\n";
  }
  text += loggp_intervals_text(link, where);
  const ordered_json& half = link.at("half_round_trip");
  const ordered_json sizes = half.value("by_size", ordered_json::array()); // files of before have none
  if (!sizes.empty()) text += text_line("half a round trip {}", where) + sizes_text(sizes) + "\n";
  return text + plot(points_of(sizes), curve_of(half)) + "\n";
}

std::string rate_text(const ordered_json& bytes_per_second) {
  return fmt::format("{:.3g} GB/s", 1e-9 * bytes_per_second.get<double>());
}

std::string limit_text(const ordered_json& link, const char* key) {
  const ordered_json limit = link.value(key, ordered_json());
  if (!limit.is_object()) return "not measured";
  const auto eager = limit.at("eager").get<std::uint64_t>();
  if (limit.at("waits").is_null()) return fmt::format("above {} bytes", eager);
  const auto waits = limit.at("waits").get<std::uint64_t>();
  return waits == eager + 1 ? fmt::format("{} bytes", eager) : fmt::format("{} to {} bytes", eager, waits - 1);
}

std::string eager_limits_text(const ordered_json& provenance) {
  std::string text;
  for (const auto& [key, where] : {std::pair("between_nodes", "between nodes"), {"within_node", "within a node"}})
    if (provenance.contains(key))
      text += text_line("eager limit  {}: of MPI_Send {}, of MPI_Isend {}", where,
                        limit_text(provenance.at(key), "eager_limit_of_send_bytes"),
                        limit_text(provenance.at(key), "eager_limit_of_isend_bytes"));
  return text;
}

std::string ratio_text(const ordered_json& algorithm) {
  return fmt::format("{:.2f}", algorithm.at("predicted_over_measured").get<double>());
}

std::string collectives_text(const ordered_json& provenance) {
  const ordered_json collectives = provenance.value("collectives", ordered_json::array());
  if (collectives.empty()) return {};
  Table table({"collective", "ranks", "bytes", "nearest algorithm", "predicted/measured", "interval", "next", ""});
  for (const ordered_json& one : collectives) {
    const ordered_json& all = one.at("algorithms");
    const ordered_json interval = all.at(0).value("interval", ordered_json());
    table.add(
        {one.at("collective").get<std::string>(), std::to_string(one.at("ranks").get<std::uint64_t>()),
         fmt::format("{}-{}", one.at("bytes").at(0).get<std::uint64_t>(), one.at("bytes").at(1).get<std::uint64_t>()),
         all.at(0).at("algorithm").get<std::string>(), ratio_text(all.at(0)),
         interval.is_array()
             ? fmt::format("{:.2f} to {:.2f}", interval.at(0).get<double>(), interval.at(1).get<double>())
             : "-",
         all.size() > 1 ? all.at(1).at("algorithm").get<std::string>() + " " + ratio_text(all.at(1)) : "-",
         one.value("told_apart", false) ? "told apart" : ""});
  }
  return table.text() + "\n";
}

std::string port_interval_words(const ordered_json& rate) {
  const ordered_json interval = rate.value("interval", ordered_json());
  if (!interval.is_array()) return {};
  return fmt::format(" ({} to {})", rate_text(interval.at(0)), rate_text(interval.at(1)));
}

std::string port_text(const ordered_json& provenance, const char* key, const char* label, const std::string& what) {
  if (!provenance.contains(key)) return {};
  const ordered_json& port = provenance.at(key);
  std::string text = fmt::format("{:<13}{}", label, rate_text(port.at("bytes_per_second")));
  if (!what.empty()) text += " " + what;
  if (port.contains("messages_at_once") && !port.contains("over_one_way"))
    text += fmt::format(" from {} at once", port.at("messages_at_once").get<std::uint64_t>());
  text += port_interval_words(port);
  if (port.contains("over_one_way"))
    text += fmt::format(
        ", {:.2f} of one way; {}", port.at("over_one_way").get<double>(),
        std::string_view(key) == "both_ways_between_nodes"
            ? "replays on the network file give each direction what one has, the platform's head says what it has"
            : "replays give each direction what one has");
  if (std::string_view(key) == "receiver_port") text += "; in no file: --ports has the rate of one message";
  return text_line("{}", text);
}

} // namespace

std::string sizes_text(const ordered_json& sizes) {
  Table table({"bytes", "points", "measured", "fitted", "residual", "quartiles"});
  const auto percent = [](const ordered_json& share) { return percent_of_one * share.get<double>(); };
  for (const ordered_json& one : sizes) {
    const ordered_json& quartiles = one.at("residual_quartiles");
    table.add(
        {fmt::format("{}-{}", one.at("bytes").at(0).get<std::uint64_t>(), one.at("bytes").at(1).get<std::uint64_t>()),
         std::to_string(one.at("points").get<std::uint64_t>()), human_seconds(one.at("measured_seconds").get<double>()),
         human_seconds(one.at("fitted_seconds").get<double>()), fmt::format("{:+.1f} %", percent(one.at("residual"))),
         fmt::format("{:+.1f} to {:+.1f} %", percent(quartiles.at(0)), percent(quartiles.at(1)))});
  }
  return table.text();
}

std::string noise_line(const ordered_json& noise) {
  const Noise read{.loop = {.spread = noise.at("spread").get<double>(), .worst = noise.at("worst").get<double>()},
                   .host = noise.value("host", std::string("the host"))};
  if (const std::string warning = noise_warning(read); !warning.empty()) return text_line("noise        {}", warning);
  return text_line("noise        on {} a loop of 1 ms varied by {:.1f} %, and one in 20 took {:.0f} % longer",
                   read.host, percent_of_one * read.loop.spread, percent_of_one * read.loop.worst);
}

std::string beside_curves_text(const ordered_json& provenance) {
  std::string text = eager_limits_text(provenance) + collectives_text(provenance);
  text += port_text(provenance, "memory_copy", "memory copy", "");
  text += port_text(provenance, "reduction", "reduction", "");
  text += port_text(provenance, "node_port", "node's port", "");
  text += port_text(provenance, "receiver_port", "receiver", "");
  text += port_text(provenance, "both_ways_between_nodes", "both ways", "between nodes");
  text += port_text(provenance, "both_ways_within_node", "both ways", "within a node");
  for (const ordered_json& noise : provenance.value("noise", ordered_json::array()))
    text += noise_line(noise);
  for (const ordered_json& note : provenance.value("not_reached", ordered_json::array()))
    text += text_line("not reached  {}", note.get<std::string>());
  return text;
}

ordered_json to_json(const ProvenanceAnswer& answer) {
  return {{"file", answer.file}, {"network", answer.network}};
}

std::string to_text(const ProvenanceAnswer& answer) {
  const ordered_json& rests_on = answer.network.at("provenance");
  std::string text = text_line("{}", answer.network.value("source", std::string())) + "\n";
  if (rests_on.contains("between_nodes")) text += provenance_text(rests_on.at("between_nodes"), "between nodes");
  if (rests_on.contains("within_node")) text += provenance_text(rests_on.at("within_node"), "within a node");
  return text + beside_curves_text(rests_on);
}

} // namespace timeless::tools
