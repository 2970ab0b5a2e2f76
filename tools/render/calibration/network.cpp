#include "tools/render/calibration/network.h"

#include "tools/calibrating/network_text.h"
#include "tools/cli/console.h"
#include "tools/render/calibration/provenance.h"

#include "base/units.h"

#include <nlohmann/json.hpp>

#include <limits>

namespace timeless::tools {

namespace {

using analysis::FittedLink;
using analysis::LogGpSegment;
using nlohmann::ordered_json;

std::string bandwidth_text(const analysis::Line& line) {
  return has_bandwidth(line) ? fmt::format("{:.3g} GB/s", 1e-9 / line.slope) : "no bandwidth reached";
}

std::string byte_time_text(double seconds) {
  return fmt::format("{:.4g} ns", seconds * 1e9);
}

/// The intervals of the same segments.
std::string intervals_text(const FittedLink& link) {
  constexpr double nano = 1e9;
  const auto range = [&](double low, double high) { return fmt::format("{:.4g} to {:.4g}", nano * low, nano * high); };
  Table table({"up to bytes", "send, ns", "receive, ns", "latency, ns", "per byte, ns", "gap, ns", "agreement, ns"});
  for (const analysis::SegmentInterval& one : link.intervals) {
    const auto agreement = [](const LogGpSegment& of) {
      return of.handshake + analysis::handshake_latencies * of.latency;
    };
    if (one.parts < 2) continue;
    const bool receives = link.curves.receive && one.low.eager;
    table.add({std::to_string(one.low.up_to),
               link.curves.send ? range(one.low.send.intercept, one.high.send.intercept) : "-",
               receives ? range(one.low.receive.intercept, one.high.receive.intercept) : "-",
               range(one.low.latency, one.high.latency), range(one.low.byte_time, one.high.byte_time),
               one.low.gap && one.high.gap ? range(*one.low.gap, *one.high.gap) : "-",
               one.low.eager ? "-" : range(agreement(one.low), agreement(one.high))});
  }
  if (link.intervals.empty() || link.intervals.front().parts < 2) return {};
  return text_line("intervals over {}:", name(link.intervals.front().over)) + table.text();
}

/// Whether messages travel while their sender computes, as far as the interval decides it.
std::string overlap_text(const analysis::MeasuredShare& left) {
  constexpr double percent = 100;
  constexpr double half = 0.5;
  const analysis::Interval& range = left.interval.range;
  const char* const found = !left.interval.known() ? "whether large messages travel while their sender computes is open"
                            : range.high < half    ? "large messages travel while their sender computes"
                            : range.low >= half    ? "large messages do not travel while their sender computes"
                                                : "whether large messages travel while their sender computes is open";
  const std::string interval = left.interval.known()
                                   ? fmt::format("{:.0f} to {:.0f} %", percent * range.low, percent * range.high)
                                   : "one message";
  return text_line("{}: MPI_Wait takes {:.0f} % of them afterwards ({})", found, percent * left.share, interval);
}

std::string fit_of_link_text(const FittedLink& link, const char* where) {
  constexpr double percent = 100;
  const analysis::LinkCurves& curves = link.curves;
  std::string text = text_line("{}:", where);
  Table table({"up to bytes", "send", "per byte", "receive", "per byte", "latency", "per byte", "gap", "agreement"});
  // What was not measured is taken for 0, which is no figure.
  const auto start = [](const analysis::Curve& of, const analysis::Line& line) {
    return of ? human_seconds(line.intercept) : "-";
  };
  const auto per_byte = [](const analysis::Curve& of, const analysis::Line& line) {
    return of ? byte_time_text(line.slope) : "-";
  };
  for (const LogGpSegment& one : link.segments)
    table.add({std::to_string(one.up_to), start(curves.send, one.send), per_byte(curves.send, one.send),
               start(curves.receive, one.receive), per_byte(curves.receive, one.receive), human_seconds(one.latency),
               byte_time_text(one.byte_time), one.gap ? human_seconds(*one.gap) : "-",
               one.eager ? "-" : human_seconds(one.handshake + analysis::handshake_latencies * one.latency)});
  text +=
      table.text() + intervals_text(link) +
      text_line("half round trips of {} to {} bytes: rms {:.1f} %, median error {:.1f} %, {} {}; one line "
                "(Hockney): {}, {}, rms "
                "{:.0f} %",
                curves.half_round_trip.smallest, curves.half_round_trip.largest, percent * curves.half_round_trip.rms,
                percent * curves.half_round_trip.median_error, curves.half_round_trip.pieces.size(),
                curves.half_round_trip.pieces.size() == 1 ? "piece" : "pieces", human_seconds(curves.hockney.intercept),
                bandwidth_text(curves.hockney), percent * curves.hockney_rms);
  if (curves.left_after_overlap) text += overlap_text(*curves.left_after_overlap);
  return text + "\n";
}

} // namespace

ordered_json to_json(const NetworkAnswer& answer) {
  ordered_json json{{"raw", answer.raw}, {"files", answer.files}};
  json["cut"] = answer.cut.empty() ? ordered_json() : ordered_json(answer.cut);
  json["network"] = ordered_json::parse(network_text(answer.fit, answer.words));
  return json;
}

std::string to_text(const NetworkAnswer& answer) {
  const analysis::NetworkFit& fit = answer.fit;
  std::string text = text_line("{} measurements: {}", fit.measurements, source_words(fit)) + "\n";
  if (fit.between_nodes) text += fit_of_link_text(*fit.between_nodes, "between nodes");
  if (fit.within_node) text += fit_of_link_text(*fit.within_node, "within a node");
  text += beside_curves_text(ordered_json::parse(network_text(fit, answer.words)).at("provenance"));
  for (const std::string& file : answer.files)
    text += text_line("written      {}", file);
  return text;
}

} // namespace timeless::tools
