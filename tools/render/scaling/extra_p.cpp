#include "tools/cli/json_text.h"
#include "tools/render/scaling/scaling.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace timeless::tools {

namespace {

using analysis::ScaledFigure;
using analysis::ScaledMetric;

/// Returns a level of a call path. Extra-P makes a tree of what stands between arrows, which names in C++ may have,
/// too.
std::string level(std::string name) {
  for (std::size_t at = 0; (at = name.find("->", at)) != std::string::npos;)
    name.replace(at, 2, "- >");
  return name;
}

/// Adds a line for each run.
void add_lines(std::string& text, const ScalingAnswer& answer, const std::string& path, const std::string& metric,
               const ScaledFigure& figure) {
  const analysis::Scaling& scaling = answer.scaling;
  const auto add = [&](const analysis::ScalePlace& place, double value) {
    nlohmann::ordered_json line{{"params", {{"p", place.ranks}}}, {"callpath", path}, {"metric", metric}};
    if (scaling.sizes_given) line["params"]["n"] = place.size;
    line["value"] = value;
    text += json_text(line) + "\n";
  };
  for (std::size_t i = 0; i < scaling.runs.size(); ++i)
    add(scaling.runs[i].place, figure.values[i]);
  if (figure.checked) add(scaling.check->place, *figure.checked);
}

void add_metrics(std::string& text, const ScalingAnswer& answer, const std::string& path,
                 const std::vector<ScaledMetric>& metrics) {
  for (const ScaledMetric& metric : metrics) {
    add_lines(text, answer, path, metric.name, metric.mean);
    add_lines(text, answer, path, metric.name + " (most)", metric.most);
  }
}

} // namespace

std::string to_extra_p(const ScalingAnswer& answer) {
  const analysis::Scaling& scaling = answer.scaling;
  std::string text;
  for (std::size_t i = 0; i < scaling.kernels.size(); ++i)
    add_metrics(text, answer,
                "kernels->" + level(fmt::format("{}: {} to {}", scaling.kernels[i].kernel,
                                                symbols::end_in_words(answer.kernel_ends[i].from),
                                                symbols::end_in_words(answer.kernel_ends[i].to))),
                scaling.kernels[i].metrics);
  for (std::size_t i = 0; i < scaling.calls.size(); ++i) {
    const std::string& place = answer.call_places[i]; // "MPI_Send in exchange"
    add_metrics(text, answer,
                "calls->" + level(fmt::format("{}: {}", i, place.empty() ? "MPI_" + scaling.calls[i].key.call : place)),
                scaling.calls[i].metrics);
  }
  for (const analysis::ScaledPart& region : scaling.regions)
    add_metrics(text, answer, "regions->" + level(region.name), region.metrics);
  for (const analysis::ScaledPart& function : scaling.functions)
    add_metrics(text, answer, "functions->" + level(function.name), function.metrics);
  return text;
}

} // namespace timeless::tools
