#include "tools/render/calibration/network.h"

#include "tools/calibrating/network_text.h"
#include "tools/cli/console.h"

#include "base/units.h"

#include <nlohmann/json.hpp>

#include <limits>

namespace timeless::tools {

namespace {

using analysis::EagerLimit;
using analysis::FittedLink;
using analysis::LogGpSegment;
using nlohmann::ordered_json;

std::string limit_text(const std::optional<EagerLimit>& limit) {
  if (!limit) return "not measured";
  if (!limit->below) return fmt::format("above {} bytes", limit->at_least);
  if (limit->exact()) return fmt::format("{} bytes", limit->at_least);
  return fmt::format("{} to {} bytes", limit->at_least, *limit->below - 1);
}

std::string bandwidth_text(const analysis::Line& line) {
  return has_bandwidth(line) ? fmt::format("{:.3g} GB/s", 1e-9 / line.slope) : "no bandwidth reached";
}

std::string rate_text(double bytes_per_second) {
  return fmt::format("{:.3g} GB/s", bytes_per_second / 1e9);
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
    table.add({std::to_string(one.low.up_to), range(one.low.send.intercept, one.high.send.intercept),
               range(one.low.receive.intercept, one.high.receive.intercept), range(one.low.latency, one.high.latency),
               range(one.low.byte_time, one.high.byte_time),
               one.low.gap && one.high.gap ? range(*one.low.gap, *one.high.gap) : "-",
               one.low.eager ? "-" : range(agreement(one.low), agreement(one.high))});
  }
  if (link.intervals.empty()) return {};
  return text_line("intervals over {}:", name(link.intervals.front().over)) + table.text();
}

/// Whether messages travel while their sender computes, as far as the interval decides it.
std::string overlap_text(const analysis::MeasuredShare& left) {
  constexpr double percent = 100;
  constexpr double half = 0.5;
  const analysis::Interval& range = left.interval.range;
  const char* const found = range.high < half   ? "large messages travel while their sender computes"
                            : range.low >= half ? "large messages do not travel while their sender computes"
                                                : "whether large messages travel while their sender computes is open";
  return text_line("{}: MPI_Wait takes {:.0f} % of them afterwards ({:.0f} to {:.0f} %)", found, percent * left.share,
                   percent * range.low, percent * range.high);
}

std::string fit_of_link_text(const FittedLink& link, const char* where) {
  constexpr double percent = 100;
  const analysis::LinkCurves& curves = link.curves;
  std::string text = text_line("{}: eager limit of MPI_Send {}, of MPI_Isend {}", where, limit_text(curves.send_limit),
                               limit_text(curves.isend_limit));
  Table table({"up to bytes", "send", "per byte", "receive", "per byte", "latency", "per byte", "gap", "agreement"});
  for (const LogGpSegment& one : link.segments)
    table.add({std::to_string(one.up_to), human_seconds(one.send.intercept), byte_time_text(one.send.slope),
               human_seconds(one.receive.intercept), byte_time_text(one.receive.slope), human_seconds(one.latency),
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

std::string one_both_ways_text(const char* where, const std::optional<analysis::BothWays>& both) {
  if (!both) return {};
  const analysis::Interval& range = both->port.rate.interval.range;
  return text_line("both ways    {} {} ({} to {}), {:.2f} of one way", rate_text(both->port.rate.bytes_per_second),
                   where, rate_text(range.low), rate_text(range.high), both->over_one_way);
}

} // namespace

std::string both_ways_text(const analysis::NetworkFit& fit) {
  return one_both_ways_text("between nodes", fit.both_ways_between_nodes) +
         one_both_ways_text("within a node", fit.both_ways_within_node);
}

namespace {

std::string collectives_text(const analysis::NetworkFit& fit) {
  if (fit.collectives.empty()) return {};
  Table table({"collective", "ranks", "bytes", "nearest algorithm", "predicted/measured", "interval", "next"});
  for (const analysis::CollectiveChoice& one : fit.collectives) {
    const auto& all = one.algorithms;
    table.add({ping::name(one.collective), std::to_string(one.ranks), fmt::format("{}-{}", one.from, one.to),
               all.front().algorithm, fmt::format("{:.2f}", all.front().predicted_over_measured),
               fmt::format("{:.2f} to {:.2f}", all.front().interval.range.low, all.front().interval.range.high),
               all.size() > 1 ? fmt::format("{} {:.2f}", all[1].algorithm, all[1].predicted_over_measured) : "-"});
  }
  return table.text() + "\n";
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
  text += collectives_text(fit);
  if (fit.memory_copy) text += text_line("memory copy  {}", rate_text(fit.memory_copy->bytes_per_second));
  if (fit.reduction) text += text_line("reduction    {}", rate_text(fit.reduction->bytes_per_second));
  if (fit.node_port)
    text += text_line("node's port  {} from {} at once", rate_text(fit.node_port->rate.bytes_per_second),
                      fit.node_port->messages);
  if (fit.receiver_port)
    text += text_line("receiver     {} from {} at once", rate_text(fit.receiver_port->rate.bytes_per_second),
                      fit.receiver_port->messages);
  text += both_ways_text(fit);
  for (const Noise& noise : noises(fit))
    if (const std::string warning = noise_warning(noise); !warning.empty())
      text += text_line("note         {}", warning);
  if (!answer.cut.empty()) text += text_line("not reached  {}", answer.cut);
  for (const std::string& note : fit.not_reached)
    text += text_line("not reached  {}", note);
  for (const std::string& file : answer.files)
    text += text_line("written      {}", file);
  return text;
}

} // namespace timeless::tools
