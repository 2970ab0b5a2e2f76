#include "tools/render/figures.h"
#include "tools/render/scaling/scaled_words.h"
#include "tools/render/scaling/scaling.h"
#include "tools/render/scaling/times.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace timeless::tools {

namespace {

using analysis::ScaledFigure;
using analysis::ScaledMetric;
using analysis::ScalePlace;
using analysis::Scaling;
using nlohmann::ordered_json;

/// Of laws that fit equally well there may be hundreds, where ranks and sizes grow together.
constexpr std::size_t most_laws = 8;

ordered_json place_json(const ScalePlace& place, bool sizes) {
  ordered_json json{{"ranks", static_cast<std::uint64_t>(place.ranks)}};
  if (sizes) json["size"] = place.size;
  return json;
}

ordered_json factor_json(const analysis::ScaleFactor& factor) {
  ordered_json json{{"exponent", {factor.numerator, factor.denominator}}, {"logs", factor.logs}};
  if (factor.rounded != 0) json["rounded"] = factor.rounded > 0 ? "up" : "down";
  return json;
}

ordered_json grid_json(const analysis::ScaleGrid& grid) {
  return {{"dimensions", grid.dimensions}, {"exponents", grid.exponents}, {"sum", grid.sum}};
}

ordered_json law_json(const analysis::ScaleLaw& law) {
  ordered_json terms = ordered_json::array();
  for (const analysis::ScalePart& part : law.parts)
    terms.push_back({{"coefficient", part.coefficient},
                     {"ranks", factor_json(part.term.ranks)},
                     {"size", factor_json(part.term.size)},
                     {"grid", grid_json(part.term.grid)}});
  return {{"formula", analysis::formula(law)}, {"terms", terms}};
}

/// Returns by what a figure's value at a place is taken.
const char* taken_by(const ScaledFigure& figure, const ScaledMetric& metric, const ScalePlace& place) {
  if (figure.summed) return "kernels";
  return metric.by_ranks_at(place) != nullptr && !figure.fit.sure() ? "positions" : "law";
}

ordered_json prediction_json(const analysis::ScalePrediction& there) {
  const auto bound = [&](double value) { return there.bounded ? ordered_json(value) : ordered_json(); };
  return {{"value", there.value}, {"low", bound(there.low)}, {"high", bound(there.high)}, {"ended", there.ended}};
}

ordered_json figure_json(const ScaledFigure& figure) {
  ordered_json laws = ordered_json::array();
  for (std::size_t i = 0; i < std::min(most_laws, figure.fit.laws.size()); ++i)
    laws.push_back(law_json(figure.fit.laws[i]));
  ordered_json there = ordered_json::array();
  for (const auto& prediction : figure.there)
    there.push_back(prediction ? prediction_json(*prediction) : ordered_json());
  ordered_json json{{"values", figure.values},
                    {"runs_without", figure.without},
                    {"kind", kind_name(figure.fit.kind)},
                    {"confirmed", figure.fit.confirmed},
                    {"residual", figure.fit.residual},
                    {"left_out_error", figure.fit.left_out_error},
                    {"assumes_no_growth", figure.fit.assumes_no_growth},
                    {"law_count", figure.fit.laws.size()},
                    {"laws", laws},
                    {"targets", there}};
  json["check"] = figure.checked ? ordered_json{{"value", *figure.checked}} : ordered_json();
  if (figure.check) {
    json["check"]["exact"] = figure.check->exact;
    json["check"]["residual"] = figure.check->residual;
  }
  return json;
}

ordered_json by_ranks_json(const ScaledMetric& metric) {
  ordered_json json = ordered_json::array();
  for (const auto& [place, forecast, grid] : metric.by_ranks) {
    ordered_json positions = ordered_json::array();
    for (const analysis::PositionForecast& one : forecast.positions)
      positions.push_back({{"position", one.position},
                           {"ranks", one.ranks},
                           {"mean", one.mean},
                           {"exact", one.exact},
                           {"error", one.error},
                           {"law", one.law}});
    json.push_back({{"ranks", static_cast<std::uint64_t>(place.ranks)},
                    {"grid", grid},
                    {"mean", prediction_json(forecast.mean)},
                    {"most", prediction_json(forecast.most)},
                    {"exact", forecast.exact},
                    {"error", forecast.error()},
                    {"positions", positions}});
  }
  return json;
}

ordered_json figure_of_metric_json(const ScaledFigure& figure, const ScaledMetric& metric, const Scaling& scaling) {
  ordered_json json = figure_json(figure);
  for (std::size_t target = 0; target < scaling.targets.size(); ++target)
    if (figure.there[target]) json["targets"][target]["by"] = taken_by(figure, metric, scaling.targets[target]);
  return json;
}

ordered_json metrics_json(const std::vector<ScaledMetric>& metrics, const Scaling& scaling) {
  ordered_json json = ordered_json::array();
  for (const ScaledMetric& metric : metrics)
    json.push_back({{"name", metric.name},
                    {"kind", kind_name(metric.kind())},
                    {"confirmed", metric.sure()},
                    {"mean", figure_of_metric_json(metric.mean, metric, scaling)},
                    {"most", figure_of_metric_json(metric.most, metric, scaling)},
                    {"by_ranks", by_ranks_json(metric)}});
  return json;
}

ordered_json run_json(const analysis::ScaledRun& run, bool sizes) {
  ordered_json json{{"name", run.name}};
  json.update(place_json(run.place, sizes));
  return json;
}

ordered_json classes_json(const analysis::ScaledKernel& kernel, const Scaling& scaling) {
  ordered_json json = ordered_json::array();
  for (const analysis::ScaledClass& one : kernel.classes)
    json.push_back({{"position", one.position},
                    {"ranks", one.ranks},
                    {"volume", figure_of_metric_json(one.volume, kernel.volume(), scaling)}});
  return json;
}

ordered_json parts_json(const std::vector<analysis::ScaledPart>& parts, const Scaling& scaling) {
  ordered_json json = ordered_json::array();
  for (const analysis::ScaledPart& part : parts)
    json.push_back({{"name", part.name}, {"metrics", metrics_json(part.metrics, scaling)}});
  return json;
}

ordered_json kernel_json(const ScalingAnswer& answer, std::size_t at) {
  const analysis::ScaledKernel& kernel = answer.scaling.kernels[at];
  const analysis::LawFit& fit = kernel.volume().most.fit;
  const ScalePlace& there =
      answer.scaling.targets.empty() ? answer.scaling.runs.back().place : answer.scaling.targets.back();
  return {{"kernel", kernel.kernel},
          {"of_run", answer.scaling.runs[kernel.run].name},
          {"from", answer.kernel_ends[at].from},
          {"to", answer.kernel_ends[at].to},
          {"share", kernel.share_now},
          {"shares_at_targets", kernel.shares_there},
          {"share_ranges_at_targets", kernel.share_ranges},
          {"in_words",
           fit.laws.empty() ? ordered_json() : ordered_json(in_words(fit.laws.front(), there, answer.scaling.mode))},
          {"metrics", metrics_json(kernel.metrics, answer.scaling)},
          {"classes", classes_json(kernel, answer.scaling)}};
}

} // namespace

ordered_json to_json(const ScalingAnswer& answer) {
  const analysis::Scaling& scaling = answer.scaling;
  ordered_json json{{"program", answer.program},
                    {"counter", answer.counter},
                    {"unit", scaling.unit},
                    {"scaling", analysis::name(scaling.mode)},
                    {"tolerance", scaling.tolerance}};
  for (const char* list : {"runs", "targets", "kernels", "calls", "regions", "functions", "efficiencies"})
    json[list] = ordered_json::array();
  for (const analysis::ScaledRun& run : scaling.runs)
    json["runs"].push_back(run_json(run, scaling.sizes_given));
  json["check"] = scaling.check ? run_json(*scaling.check, scaling.sizes_given) : ordered_json();
  for (const ScalePlace& target : scaling.targets)
    json["targets"].push_back(place_json(target, scaling.sizes_given));
  json["positions"] =
      scaling.classes ? ordered_json{{"grid", scaling.classes->assumption}, {"explained", scaling.classes->explained}}
                      : ordered_json();
  json["forecast_grid"] = scaling.forecast_grid.empty() ? ordered_json() : ordered_json(scaling.forecast_grid);
  json["coverage"] = {{"confirmed", scaling.coverage.confirmed},
                      {"exact", scaling.coverage.exact},
                      {"approximate", scaling.coverage.approximate},
                      {"none", scaling.coverage.none}};
  for (std::size_t i = 0; i < scaling.kernels.size(); ++i)
    json["kernels"].push_back(kernel_json(answer, i));
  for (std::size_t i = 0; i < scaling.calls.size(); ++i)
    json["calls"].push_back({{"call", scaling.calls[i].key.call},
                             {"place", answer.call_places[i]},
                             {"metrics", metrics_json(scaling.calls[i].metrics, scaling)}});
  json["regions"] = parts_json(scaling.regions, scaling);
  json["functions"] = parts_json(scaling.functions, scaling);
  for (const analysis::WorkEfficiency& efficiency : scaling.efficiencies) {
    ordered_json row = place_json(efficiency.place, scaling.sizes_given);
    row["predicted"] = efficiency.predicted;
    row["instruction_scaling"] = known(efficiency.instruction_scaling);
    row["load_balance"] = known(efficiency.load_balance);
    json["efficiencies"].push_back(std::move(row));
  }
  json["time"] = times_json(answer);
  json["growth"] = growth_json(answer);
  json["size_of_rank"] = scaling.size_of_rank;
  json["doubt"] = answer.doubt;
  json["notes"] = answer.notices;
  return json;
}

} // namespace timeless::tools
