#include "tools/render/replay/classification.h"

#include "tools/render/csv.h"

#include <nlohmann/json.hpp>

#include <array>
#include <string>
#include <string_view>

namespace timeless::tools {

namespace {

constexpr std::array<std::string_view, 27> class_columns{"trace",
                                                         "program",
                                                         "ranks",
                                                         "network",
                                                         "latency_seconds",
                                                         "bits_per_second",
                                                         "class",
                                                         "reason",
                                                         "recorded_part",
                                                         "helps.what",
                                                         "helps.sentence",
                                                         "saving",
                                                         "saving_least",
                                                         "saving_most",
                                                         "confidence",
                                                         "confidence_reasons",
                                                         "evidence.total_seconds",
                                                         "evidence.computation",
                                                         "evidence.overhead",
                                                         "evidence.wait",
                                                         "evidence.latency",
                                                         "evidence.bandwidth",
                                                         "evidence.bandwidth_speedup",
                                                         "evidence.latency_speedup",
                                                         "evidence.both_speedup",
                                                         "efficiency.parallel",
                                                         "efficiency.load_balance"};

/// One text: a list of sentences would be joined by blanks.
void join_reasons(nlohmann::ordered_json& row) {
  std::string all;
  for (const auto& reason : row["confidence_reasons"])
    all += (all.empty() ? "" : "; ") + reason.get<std::string>();
  row["confidence_reasons"] = all;
}

} // namespace

std::string to_csv(const ClassifyTracesAnswer& answer) {
  std::string text = csv_head(class_columns);
  for (const ClassifyAnswer& one : answer.traces) {
    const nlohmann::ordered_json json = to_json(one);
    for (nlohmann::ordered_json row : json["networks"]) {
      for (const char* of_trace : {"trace", "program", "ranks"})
        row[of_trace] = json[of_trace];
      if (const nlohmann::ordered_json interval = row["saving_interval"]; !interval.is_null()) {
        row["saving_least"] = interval[0];
        row["saving_most"] = interval[1];
      }
      join_reasons(row);
      text += csv_row(row, class_columns);
    }
  }
  return text;
}

} // namespace timeless::tools
