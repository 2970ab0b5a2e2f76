#include "tools/info/columns.h"

#include "tools/render/csv.h"

#include <fmt/format.h>

#include <span>
#include <string_view>
#include <utility>

namespace timeless::tools {

namespace {

void print_rows(const nlohmann::ordered_json& rows, std::span<const std::string_view> columns) {
  fmt::print("{}", csv_head(columns));
  for (const auto& row : rows)
    fmt::print("{}", csv_row(row, columns));
}

/// A row for each kernel and event.
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

void print_csv(const InfoRequest& request, const nlohmann::ordered_json& json) {
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
  if (request.kernels) return print_rows(json.at("kernels"), kernels);
  if (request.regions) return print_rows(json.at("regions"), regions);
  if (request.profile) return print_rows(profile_rows(json.at("profile")), profile);
  if (request.matrix) return print_rows(json.at("matrix"), matrix);
  fmt::print("{}", csv_paths(json));
}

} // namespace timeless::tools
