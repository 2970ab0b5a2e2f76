#include "tools/render/csv.h"
#include "tools/render/replay/prediction/tolerances.h"
#include "tools/render/replay/sweep/sweep_parts.h"

#include <nlohmann/json.hpp>

#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace timeless::tools {

namespace {

using nlohmann::ordered_json;

constexpr std::array<std::string_view, 50> sweep_columns{"name",
                                                         "machine",
                                                         "bandwidth_factor",
                                                         "latency_factor",
                                                         "cpu_factor",
                                                         "ranks_per_node",
                                                         "collectives",
                                                         "eager_limit_bytes",
                                                         "makespan_seconds",
                                                         "makespan_least_seconds",
                                                         "makespan_most_seconds",
                                                         "speedup",
                                                         "mostly",
                                                         "class",
                                                         "helps",
                                                         "mean_seconds.compute",
                                                         "mean_seconds.memory_copy",
                                                         "mean_seconds.overhead",
                                                         "mean_seconds.wait",
                                                         "mean_seconds.latency",
                                                         "mean_seconds.bandwidth",
                                                         "mean_seconds.files",
                                                         "efficiency.parallel",
                                                         "efficiency.transfer",
                                                         "critical_path_seconds.latency_seconds",
                                                         "critical_path_seconds.bandwidth_seconds",
                                                         "critical_path_seconds.compute_seconds",
                                                         "row",
                                                         "change",
                                                         "upgrade",
                                                         "gain",
                                                         "gain_least",
                                                         "gain_most",
                                                         "answer",
                                                         "worth_a_look",
                                                         "turns.least_speed",
                                                         "turns.most_speed",
                                                         "turns.pays_above",
                                                         "recorded_part",
                                                         "confidence",
                                                         "price",
                                                         "price_per_percent",
                                                         "on_pareto_front",
                                                         "beaten_by",
                                                         "cost",
                                                         "asked",
                                                         "least",
                                                         "most",
                                                         "limit",
                                                         "speed"};

/// Puts an interval into two columns, which have one number each.
void divide(ordered_json& row, const char* interval, const char* least, const char* most) {
  const auto found = row.find(interval);
  if (found == row.end() || !found->is_array()) return;
  const ordered_json ends = *found;
  row[least] = ends.at(0);
  row[most] = ends.at(1);
}

/// The rows of a table of values: configurations, then answers beside the configuration they are about.
class SweepRows {
public:
  explicit SweepRows(const SweepPrediction& prediction) : prediction_(prediction) {}

  std::string text() {
    text_ = csv_head(sweep_columns);
    std::map<std::size_t, std::size_t> grid;
    for (std::size_t i = 0; i < prediction_.classes.size(); ++i)
      grid.emplace(prediction_.grid[i], i);
    for (std::size_t place = 0; place < prediction_.sweep.configurations.size(); ++place) {
      ordered_json row = configuration_json(prediction_, place);
      if (const auto found = grid.find(place); found != grid.end()) row.update(class_json(prediction_, found->second));
      add(std::move(row), "configuration");
    }
    for (const ChangedMachine& one : prediction_.what_if)
      add(changed_row(one), "what_if");
    for (const ChangedMachine& one : prediction_.upgrades)
      add(changed_row(one), "upgrade");
    add_searches("break_even", prediction_.break_even, to_json, {"latency", "byte_time", "compute"}, "factors",
                 "growth");
    add_searches("gain", prediction_.gains, gains_json, {"latency", "bandwidth", "cpu"}, "improvements", "gain");
    return std::move(text_);
  }

private:
  void add(ordered_json row, const char* kind) {
    row["row"] = kind;
    divide(row, "makespan_interval_seconds", "makespan_least_seconds", "makespan_most_seconds");
    divide(row, "gain_interval", "gain_least", "gain_most");
    text_ += csv_row(row, sweep_columns);
  }

  ordered_json changed_row(const ChangedMachine& one) const {
    ordered_json changed = changed_json(prediction_, one);
    ordered_json row = configuration_json(prediction_, one.after);
    changed["upgrade"] = one.name;
    changed.erase("name");
    row.update(changed);
    return row;
  }

  void add_searches(const char* kind, const std::vector<SearchedMachine>& searches, JsonOfSearch json_of,
                    const std::array<const char*, 3>& costs, const char* list, const char* asked) {
    for (std::size_t i = 0; i < searches.size(); ++i)
      for (const ToleranceAtSpeed& at : searches[i]) {
        const ordered_json found = json_of(at.tolerance);
        for (const char* cost : costs)
          for (const ordered_json& one : found[cost][list]) {
            ordered_json row = at.speed == 1 ? configuration_json(prediction_, prediction_.machines[i])
                                             : configuration_json(prediction_, at.configuration, {});
            row.update({{"cost", cost},
                        {"asked", one[asked]},
                        {"least", one["least"]},
                        {"most", one["most"]},
                        {"speed", at.speed}});
            if (found[cost].contains("limit")) row["limit"] = found[cost]["limit"];
            add(std::move(row), kind);
          }
      }
  }

  const SweepPrediction& prediction_;
  std::string text_;
};

} // namespace

std::string to_csv(const SweepAnswer& answer) {
  return SweepRows(answer.prediction).text();
}

} // namespace timeless::tools
