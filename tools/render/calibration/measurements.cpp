#include "tools/render/calibration/measurements.h"

#include "tools/calibrating/network_text.h"
#include "tools/cli/console.h"
#include "tools/render/calibration/plot.h"
#include "tools/render/calibration/provenance.h"
#include "tools/render/figures.h"

#include <nlohmann/json.hpp>

namespace timeless::tools {

namespace {

using analysis::Curve;
using analysis::FittedLink;
using analysis::SizePoint;
using nlohmann::ordered_json;

constexpr double in_percent = 100;

ordered_json link_json(const FittedLink& link) {
  ordered_json points = ordered_json::array();
  for (const SizePoint& one : link.curves.half_round_trips)
    points.push_back({one.bytes, one.seconds, link.curves.half_round_trip(static_cast<double>(one.bytes))});
  return {{"half_round_trip", {{"by_size", sizes_json(link.curves)}, {"bytes_measured_fitted", points}}}};
}

std::string link_text(const FittedLink& link, const char* where) {
  const Curve& curve = link.curves.half_round_trip;
  std::string text = text_line("half a round trip {}", where);
  text += sizes_text(sizes_json(link.curves)) + "\n" + plot(link.curves.half_round_trips, curve) + "\n";
  text += text_line("{} piece{}; rms {:.1f} %, median error {:.1f} %; {} outlier{} left out", curve.pieces.size(),
                    plural(curve.pieces.size()), in_percent * curve.rms, in_percent * curve.median_error,
                    curve.outliers, plural(curve.outliers));
  const auto add = [&](const char* name, const Curve& other) {
    if (other)
      text += text_line("{}: {} piece{}, rms {:.1f} %, median error {:.1f} %, up to {} bytes", name,
                        other.pieces.size(), plural(other.pieces.size()), in_percent * other.rms,
                        in_percent * other.median_error, other.largest);
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
  return text + beside_curves_text(ordered_json::parse(network_text(answer.fit, {})).at("provenance"));
}

} // namespace timeless::tools
