#include "tools/calibrating/platform_text.h"

#include "tools/calibrating/network_text.h"

#include "replay/simgrid/simgrid_factors.h"
#include "tools/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace timeless::tools {

namespace {

using analysis::FittedLink;
using analysis::LogGpSegment;
using analysis::NetworkFit;

constexpr double envelope = replay::SmpiSettings::envelope_bytes;
constexpr double least_latency = 1e-9;    // so that factors have something to multiply
constexpr double least_byte_time = 1e-14; // of messages whose bytes take no time: a platform has to say some

/// What the network itself takes, for messages of some sizes: `fixed` with the envelope's bytes taken out.
struct Wire {
  std::uint64_t up_to = 0;
  double fixed = 0;
  double byte_time = 0;
};

std::vector<Wire> wires_of(const FittedLink& link) {
  std::vector<Wire> wires;
  for (const LogGpSegment& one : link.segments) {
    Wire wire{.up_to = one.up_to, .fixed = one.latency, .byte_time = one.byte_time};
    // Of a message that waits SMPI charges neither end.
    if (!one.eager) {
      wire.fixed = (1 + analysis::handshake_latencies) * one.latency + one.handshake + one.send.intercept;
      wire.byte_time += one.send.slope;
    }
    wire.fixed = std::max(wire.fixed - envelope * wire.byte_time, 0.0);
    wires.push_back(wire);
  }
  return wires;
}

/// The links of the machine: what factors multiply.
struct Links {
  double latency = 0; ///< from node to node
  double bandwidth = 0;
  double loopback_latency = 0;
  double loopback_bandwidth = 0;
  double loopback_error = 0; ///< rms, relative to half round trips within a node
  double port = 0; ///< bytes per second of a node's messages one way, where that is more than one message gets; else 0
};

/// Measurements of one message and of several that differ by less have the same rate.
constexpr double clearly_more = 1.05;

/// What SMPI takes for a message within a node on a loopback of one latency and bandwidth: the factors between nodes
/// hold there, too. The latency and byte time that suit the half round trips best, by relative least squares.
void fit_loopback(Links& links, const FittedLink& between, const std::vector<Wire>& wires, const FittedLink& within) {
  double xx = 0;
  double xy = 0;
  double yy = 0;
  double xt = 0;
  double yt = 0;
  struct Row {
    double x, y, ends, whole;
  };
  std::vector<Row> rows;
  const double largest = static_cast<double>(within.curves.half_round_trip.largest);
  constexpr double step = 1.1;
  for (double bytes = 1; bytes <= largest; bytes *= step) {
    const auto place = static_cast<std::size_t>(
        std::ranges::find_if(wires, [&](const Wire& one) { return bytes <= static_cast<double>(one.up_to); }) -
        wires.begin());
    const std::size_t at = std::min(place, wires.size() - 1);
    const LogGpSegment& segment = between.segments[at];
    const double whole = within.curves.half_round_trip(bytes);
    const double ends = segment.eager ? segment.send(bytes) + segment.receive(bytes) : 0;
    rows.push_back({wires[at].fixed / links.latency / whole,
                    (bytes + envelope) * wires[at].byte_time * links.bandwidth / whole, ends / whole, whole});
    const Row& row = rows.back();
    xx += row.x * row.x;
    xy += row.x * row.y;
    yy += row.y * row.y;
    xt += row.x * (1 - row.ends);
    yt += row.y * (1 - row.ends);
  }
  const double determinant = xx * yy - xy * xy;
  double latency = determinant > 0 ? (yy * xt - xy * yt) / determinant : 0;
  double byte_time = determinant > 0 ? (xx * yt - xy * xt) / determinant : 0;
  if (latency <= 0) {
    latency = 0;
    byte_time = yt / yy;
  } else if (byte_time <= 0) {
    byte_time = 0;
    latency = xt / xx;
  }
  links.loopback_latency = std::max(latency, 0.0);
  links.loopback_bandwidth = 1 / std::max(byte_time, least_byte_time);
  double squares = 0;
  for (const Row& row : rows)
    squares += std::pow(row.x * links.loopback_latency + row.y / links.loopback_bandwidth + row.ends - 1, 2);
  links.loopback_error = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(rows.size(), 1)));
}

Links links_of(const NetworkFit& fit, const std::vector<Wire>& wires) {
  Links links;
  // Small messages tell little of bytes: the links have the rate of the largest, and others a factor of it.
  const auto large = std::find_if(wires.rbegin(), wires.rend(), [](const Wire& one) { return one.byte_time > 0; });
  links.bandwidth = seven_digits(1 / (large == wires.rend() ? least_byte_time : large->byte_time));
  links.latency = std::max(seven_digits(wires.front().fixed), least_latency);
  links.loopback_latency = links.latency;
  links.loopback_bandwidth = links.bandwidth;
  if (fit.between_nodes && fit.node_port && fit.node_port->capacity > clearly_more * links.bandwidth)
    links.port = seven_digits(fit.node_port->capacity);
  if (fit.between_nodes && fit.within_node) fit_loopback(links, *fit.between_nodes, wires, *fit.within_node);
  return links;
}

/// `size:...;size:...` where a piece begins above each size.
template <typename Value>
std::string setting(const FittedLink& link, double shift, const Value& value) {
  std::string text;
  double above = 0;
  for (std::size_t place = 0; place < link.segments.size(); ++place) {
    text += fmt::format("{}{:.0f}:{}", place == 0 ? "" : ";", above, value(place));
    above = static_cast<double>(link.segments[place].up_to) + shift;
  }
  return text;
}

std::string overhead(const FittedLink& link, analysis::Line LogGpSegment::*end) {
  return setting(link, 0, [&](std::size_t place) {
    const LogGpSegment& one = link.segments[place];
    const analysis::Line line = one.eager ? one.*end : analysis::Line{};
    return fmt::format("{:.7g}:{:.7g}", line.intercept, line.slope);
  });
}

/// Messages smaller than this; SimGrid counts them in an int.
std::uint64_t threshold(const NetworkFit& fit) {
  constexpr std::uint64_t most = 2'000'000'000;
  return fit.eager_limit ? std::min(*fit.eager_limit + 1, most) : most;
}

/// In an XML comment, two hyphens end it.
std::string for_comment(std::string text) {
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--"))
    text[at + 1] = '_';
  std::ranges::replace_if(
      text, [](char one) { return (one < ' ' && one != '\n') || one > '~' || one == '<' || one == '>' || one == '&'; },
      '?');
  return text;
}

/// " (1.2e9 to 1.3e9)"; nothing where nobody knows it.
std::string interval_behind(const analysis::FitInterval& interval) {
  if (!interval.known()) return {};
  return fmt::format(" ({:.4g} to {:.4g})", interval.range.low, interval.range.high);
}

/// A curve's pieces with residuals and intervals; nothing of one that was not measured.
std::string curve_text(const analysis::Curve& curve, const std::string& what) {
  constexpr double percent = 100;
  if (!curve) return {};
  std::string text = fmt::format("\n     {}: {} piece{}, rms {:.1f} %, median error {:.1f} %, sizes {} to {} bytes.",
                                 what, curve.pieces.size(), curve.pieces.size() == 1 ? "" : "s", percent * curve.rms,
                                 percent * curve.median_error, curve.smallest, curve.largest);
  for (const analysis::CurvePiece& piece : curve.pieces) {
    text += fmt::format("\n       up to {} bytes: {:.4g} s + {:.4g} s a byte, rms {:.1f} %, {} sizes", piece.up_to,
                        piece.line.intercept, piece.line.slope, percent * piece.rms, piece.points);
    if (!piece.intercept.known() || !piece.slope.known()) continue;
    const analysis::Interval& fixed = piece.intercept.range;
    const analysis::Interval& per_byte = piece.slope.range;
    text += fmt::format("; {}: {:.4g} to {:.4g} s, {:.4g} to {:.4g} s a byte", name(piece.intercept.over), fixed.low,
                        fixed.high, per_byte.low, per_byte.high);
  }
  return text;
}

std::string pieces_text(const FittedLink& link, const char* where) {
  constexpr double percent = 100;
  const analysis::Curve& curve = link.curves.half_round_trip;
  std::string text = curve_text(curve, fmt::format("Half round trips {}", where));
  for (const analysis::MeasuredSizes& one : classes_by_size(link.curves.half_round_trips, curve))
    text += fmt::format("\n       {} to {} bytes: {} point{}, {:.4g} s measured, {:.4g} s fitted, residual {:+.1f} %",
                        one.from, one.to, one.points, one.points == 1 ? "" : "s", one.measured, one.fitted,
                        percent * one.residual);
  return text;
}

/// What smpi/os, ois and or rest on.
std::string overheads_text(const FittedLink& link) {
  return curve_text(link.curves.send, "MPI_Send") + curve_text(link.curves.isend, "MPI_Isend") +
         curve_text(link.curves.receive, "MPI_Recv of messages that are there");
}

std::string limit_words(const std::optional<analysis::EagerLimit>& limit) {
  if (!limit) return "not measured";
  if (!limit->below) return fmt::format("above {} bytes", limit->at_least);
  if (limit->exact()) return fmt::format("{} bytes", limit->at_least);
  return fmt::format("{} to {} bytes", limit->at_least, *limit->below - 1);
}

/// SMPI knows one limit, that of MPI_Send.
std::string limits_text(const FittedLink& link, const char* where) {
  return fmt::format("\n     Eager limit {}: of MPI_Send {}, of MPI_Isend {}.", where,
                     limit_words(link.curves.send_limit), limit_words(link.curves.isend_limit));
}

std::string rates_text(const NetworkFit& fit) {
  std::string text;
  for (const auto& [what, rate] : {std::pair("Memory copy", &fit.memory_copy), {"Reduction", &fit.reduction}})
    if (*rate)
      text += fmt::format("\n     {}: {:.4g} B/s{}; SMPI has no place for it.", what, (*rate)->bytes_per_second,
                          interval_behind((*rate)->interval));
  return text;
}

/// The same for messages that set off when they are sent.
std::uint64_t asynchronous_threshold(const NetworkFit& fit) {
  std::uint64_t before = 0;
  for (const LogGpSegment& one : fit.main_link().segments) {
    if (one.pulled) return before + 1;
    before = one.up_to;
  }
  return threshold(fit);
}

std::uint32_t most_on_a_node(const NetworkFit& fit) {
  std::ptrdiff_t most = 1;
  for (const ping::MeasurementContext& launch : fit.launches)
    for (const int node : launch.nodes)
      most = std::max(most, std::ranges::count(launch.nodes, node));
  return static_cast<std::uint32_t>(most);
}

/// Whether the directions of a node's port share what it carries.
bool shares_directions(const NetworkFit& fit) {
  constexpr double little_more = 1.25; // than one way
  return fit.both_ways_between_nodes && fit.both_ways_between_nodes->over_one_way < little_more;
}

/// What ports carry that the links here may not say.
std::string ports_text(const NetworkFit& fit) {
  std::string text;
  if (const auto& both = fit.both_ways_between_nodes)
    text += fmt::format(
        "\n     Both directions of a node's port at once had {:.4g} B/s{} together, {:.2f} of one: here {}.",
        both->port.rate.bytes_per_second, interval_behind(both->port.rate.interval), both->over_one_way,
        shares_directions(fit) ? "they share a link (SHARED)" : "each has a link of its own (SPLITDUPLEX)");
  if (fit.receiver_port)
    text += fmt::format(
        "\n     A receiver's port had {:.4g} B/s{} from {} at once; a link carries the same in as out here.",
        fit.receiver_port->rate.bytes_per_second, interval_behind(fit.receiver_port->rate.interval),
        fit.receiver_port->messages);
  return text;
}

std::string head(const NetworkFit& fit, const Links& links, std::uint32_t nodes, std::uint32_t cores,
                 const std::string& speed) {
  constexpr double percent = 100;
  std::string hosts;
  for (const std::string& host : measured_hosts(fit))
    hosts += (hosts.empty() ? "" : ", ") + host;
  std::string text =
      fmt::format("<!-- {} of {}, as measured on {}.\n\n     Trust: measured; the speed is not, nor is "
                  "anything beyond one switch.\n     Source: {}.\n     Largest message between nodes: "
                  "{} bytes{}.\n     Largest message within a node: {} bytes{}.\n     Launches:",
                  nodes == 1 ? "1 node" : fmt::format("{} nodes", nodes),
                  cores == 1 ? "1 core" : fmt::format("{} cores", cores), hosts, source_words(fit),
                  fit.main_link().curves.half_round_trip.largest, fit.between_nodes ? "" : ", measured within a node",
                  (fit.within_node ? *fit.within_node : fit.main_link()).curves.half_round_trip.largest,
                  fit.within_node ? "" : ", measured between nodes");
  for (const ping::MeasurementContext& launch : fit.launches)
    text += fmt::format(" {}", launch.date);
  text +=
      fmt::format("; {} measurements, Timeless {}.\n     Overheads: measured (smpi/os, ois, or); of messages that wait "
                  "for their receives, the factors hold all.",
                  fit.measurements, version);
  const char* const where = fit.between_nodes ? "between nodes" : "within a node";
  text += pieces_text(fit.main_link(), where);
  text += "\n     Larger messages follow the last line.";
  text += overheads_text(fit.main_link()) + limits_text(fit.main_link(), where);
  if (fit.between_nodes && fit.within_node) {
    text += pieces_text(*fit.within_node, "within a node") + limits_text(*fit.within_node, "within a node");
    text += fmt::format(
        "\n     The loopback has the factors and overheads of the network: it misses half round trips within a "
        "node by {:.1f} % rms.",
        percent * links.loopback_error);
  }
  if (fit.node_port)
    text +=
        fmt::format("\n     {} {} had {:.4g} B/s{}; here {}.", fit.node_port->messages,
                    fit.node_port->messages == 1 ? "message" : "messages at once", fit.node_port->rate.bytes_per_second,
                    interval_behind(fit.node_port->rate.interval),
                    links.port > 0 ? "a node's port carries that one way, and the backbone what one message has alone"
                                   : "they share what one has alone");
  text += ports_text(fit) + rates_text(fit);
  for (const Noise& noise : noises(fit))
    text += fmt::format("\n     Noise: a loop of 1 ms varied by {:.1f} % on {}, and one in 20 took {:.0f} % longer.",
                        percent * noise.loop.spread, noise.host, percent * noise.loop.worst);
  for (const std::string& note : fit.not_reached)
    text += "\n     Not reached: " + note + ".";
  text += fmt::format("\n     Speed: {} a core is no measurement: give rates when you replay.", speed);
  return for_comment(text.substr(4)).insert(0, "<!--");
}

/// Attributes of the backbone; none where ports are not more than one message has.
std::string backbone_text(const Links& links) {
  // SimGrid's factors divide what a shared link carries, too: so the ports have what they carry of messages with factor
  // 1, and a link that every message has for itself holds each to what it gets alone.
  return links.port > 0 ? fmt::format("\n             bb_bw=\"{:.7g}Bps\" bb_lat=\"0s\" bb_sharing_policy=\"FATPIPE\"",
                                      links.bandwidth)
                        : "";
}

} // namespace

std::string platform_text(const NetworkFit& fit, const Nodes& nodes) {
  const FittedLink& link = fit.main_link();
  const std::vector<Wire> wires = wires_of(link);
  const Links links = links_of(fit, wires);
  const std::uint32_t node_count =
      nodes.nodes > 0 ? nodes.nodes : static_cast<std::uint32_t>(measured_hosts(fit).size());
  const std::uint32_t cores = nodes.cores > 0 ? nodes.cores : most_on_a_node(fit);
  const auto bandwidth_factor = [&](std::size_t place) {
    return fmt::format("{:.7g}", 1 / std::max(wires[place].byte_time, least_byte_time) / links.bandwidth);
  };
  const auto latency_factor = [&](std::size_t place) {
    return fmt::format("{:.7g}", wires[place].fixed / links.latency);
  };
  return fmt::format(
      R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
{head} -->
<platform version="4.1">
  <config>
    <prop id="network/model" value="SMPI"/>
    <prop id="network/TCP-gamma" value="0"/>
    <prop id="smpi/async-small-thresh" value="{asynchronous}"/>
    <prop id="smpi/send-is-detached-thresh" value="{threshold}"/>
    <prop id="smpi/os" value="{os}"/>
    <prop id="smpi/ois" value="{ois}"/>
    <prop id="smpi/or" value="{orr}"/>
    <prop id="smpi/bw-factor" value="{bandwidth_factor}"/>
    <prop id="smpi/lat-factor" value="{latency_factor}"/>
  </config>

  <zone id="world" routing="Full">
    <cluster id="measured" prefix="node-" suffix="" radical="0-{last}" speed="{speed}" core="{cores}"
             bw="{port:.7g}Bps" lat="{latency:.7g}s" sharing_policy="{sharing}"{backbone}
             loopback_bw="{loopback_bandwidth:.7g}Bps" loopback_lat="{loopback_latency:.7g}s"/>
  </zone>
</platform>
)",
      fmt::arg("head", head(fit, links, node_count, cores, nodes.speed)), fmt::arg("threshold", threshold(fit)),
      fmt::arg("asynchronous", asynchronous_threshold(fit)), fmt::arg("os", overhead(link, &LogGpSegment::send)),
      fmt::arg("ois", overhead(link, &LogGpSegment::isend)), fmt::arg("orr", overhead(link, &LogGpSegment::receive)),
      fmt::arg("bandwidth_factor", setting(link, envelope, bandwidth_factor)),
      fmt::arg("latency_factor", setting(link, envelope, latency_factor)), fmt::arg("last", node_count - 1),
      fmt::arg("speed", nodes.speed), fmt::arg("cores", cores),
      fmt::arg("port", links.port > 0 ? links.port : links.bandwidth), fmt::arg("backbone", backbone_text(links)),
      fmt::arg("sharing", shares_directions(fit) ? "SHARED" : "SPLITDUPLEX"), fmt::arg("latency", links.latency / 2),
      fmt::arg("loopback_bandwidth", links.loopback_bandwidth), fmt::arg("loopback_latency", links.loopback_latency));
}

} // namespace timeless::tools
