#include "tools/render/info/trace_info.h"

#include "tools/render/csv.h"

#include <nlohmann/json.hpp>

#include <span>
#include <string_view>
#include <utility>

namespace timeless::tools {

namespace {

std::string csv_table(const nlohmann::ordered_json& rows, std::span<const std::string_view> columns) {
  std::string text = csv_head(columns);
  for (const auto& row : rows)
    text += csv_row(row, columns);
  return text;
}

/// Returns a row for each kernel and event.
nlohmann::ordered_json profile_rows(const nlohmann::ordered_json& profile) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& kernel : profile.at("kernels"))
    for (const auto& [event, counted] : kernel.at("events").items()) {
      auto row = kernel;
      row["event"] = event;
      row.update(counted);
      rows.push_back(std::move(row));
    }
  return rows;
}

} // namespace

std::string to_csv(const TraceInfo& info) {
  static constexpr std::string_view kernels[] = {
      "kernel",      "from.call",   "from.module", "from.offset", "from.function", "from.file", "from.line",
      "to.call",     "to.module",   "to.offset",   "to.function", "to.file",       "to.line",   "visits",
      "volume",      "workers",     "share",       "mean",        "least",         "most",      "variation",
      "ranks.count", "ranks.least", "ranks.mean",  "ranks.most"};
  static constexpr std::string_view regions[] = {"name",
                                                 "ranks",
                                                 "visits",
                                                 "visits_per_rank.least",
                                                 "visits_per_rank.mean",
                                                 "visits_per_rank.most",
                                                 "volume",
                                                 "volume_per_rank.least",
                                                 "volume_per_rank.mean",
                                                 "volume_per_rank.most",
                                                 "calls",
                                                 "bytes"};
  static constexpr std::string_view profile[] = {
      "kernel", "from", "to", "bursts", "event", "sum", "per_rank.least", "per_rank.mean", "per_rank.most"};
  static constexpr std::string_view matrix[] = {"communicator", "source", "destination", "kind", "messages", "bytes"};
  const nlohmann::ordered_json json = to_json(info);
  if (info.kernels) return csv_table(json.at("kernels"), kernels);
  if (info.regions) return csv_table(json.at("regions"), regions);
  if (info.profile) return csv_table(profile_rows(json.at("profile")), profile);
  if (info.traffic) return csv_table(json.at("matrix"), matrix);
  return csv_paths(json);
}

} // namespace timeless::tools
