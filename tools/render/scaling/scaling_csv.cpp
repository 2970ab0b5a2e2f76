#include "tools/render/csv.h"
#include "tools/render/scaling/scaled_words.h"
#include "tools/render/scaling/scaling.h"

#include <nlohmann/json.hpp>

#include <array>
#include <string_view>

namespace timeless::tools {

namespace {

using nlohmann::ordered_json;

constexpr std::array<std::string_view, 23> row_columns{
    "ranks",     "size",  "of",        "kernel",    "name",      "from",    "to",      "metric",
    "share_now", "share", "value_now", "value",     "low",       "high",    "kind",    "confirmed",
    "mean_now",  "mean",  "mean_low",  "mean_high", "mean_kind", "formula", "in_words"};

/// Adds what a figure comes to at a target, under these names.
void add_prediction(ordered_json& row, const analysis::ScaledFigure& figure, std::size_t target, const char* value,
                    const char* low, const char* high) {
  const auto& there = figure.there[target];
  if (!there) return;
  row[value] = there->value;
  if (there->bounded) row.update({{low, there->low}, {high, there->high}});
}

/// The rows of one target.
class TargetRows {
public:
  TargetRows(const ScalingAnswer& answer, std::size_t target) : answer_(answer), target_(target) {}

  std::string text() && {
    const analysis::Scaling& scaling = answer_.scaling;
    for (std::size_t i = 0; i < scaling.kernels.size(); ++i) {
      const analysis::ScaledKernel& kernel = scaling.kernels[i];
      add_all({{"of", "kernel"},
               {"kernel", kernel.kernel},
               {"from", answer_.kernel_ends[i].from},
               {"to", answer_.kernel_ends[i].to},
               {"share_now", kernel.share_now},
               {"share", kernel.shares_there[target_]}},
              kernel.metrics);
    }
    for (std::size_t i = 0; i < scaling.calls.size(); ++i)
      add_all({{"of", "call"}, {"name", scaling.calls[i].key.call}, {"from", answer_.call_places[i]}},
              scaling.calls[i].metrics);
    for (const analysis::ScaledPart& region : scaling.regions)
      add_all({{"of", "region"}, {"name", region.name}}, region.metrics);
    for (const analysis::ScaledPart& function : scaling.functions)
      add_all({{"of", "function"}, {"name", function.name}}, function.metrics);
    add_all({{"of", "all kernels"}}, {scaling.whole});
    return std::move(text_);
  }

private:
  void add_all(const ordered_json& head, const std::vector<analysis::ScaledMetric>& metrics) {
    for (const analysis::ScaledMetric& metric : metrics)
      add(head, metric);
  }

  void add(const ordered_json& head, const analysis::ScaledMetric& metric) {
    const analysis::ScalePlace& there = answer_.scaling.targets[target_];
    ordered_json row = head;
    row["ranks"] = static_cast<std::uint64_t>(there.ranks);
    if (answer_.scaling.sizes_given) row["size"] = there.size;
    row["metric"] = metric.name;
    row["value_now"] = metric.most.values.back();
    row["kind"] = kind_name(metric.kind());
    row["confirmed"] = metric.sure();
    add_prediction(row, metric.most, target_, "value", "low", "high");
    row["mean_now"] = metric.mean.values.back();
    row["mean_kind"] = kind_name(metric.mean.fit.kind);
    add_prediction(row, metric.mean, target_, "mean", "mean_low", "mean_high");
    if (const std::string law = metric.law_at(there); !law.empty()) row["formula"] = law;
    if (!metric.most.fit.laws.empty()) row["in_words"] = growth_in_words(metric, answer_.scaling, there);
    text_ += csv_row(row, row_columns);
  }

  const ScalingAnswer& answer_;
  std::size_t target_;
  std::string text_;
};

} // namespace

std::string to_csv(const ScalingAnswer& answer) {
  std::string text = csv_head(row_columns);
  for (std::size_t target = 0; target < answer.scaling.targets.size(); ++target)
    text += TargetRows(answer, target).text();
  return text;
}

} // namespace timeless::tools
