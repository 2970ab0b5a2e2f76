#include "tools/render/replay/prediction/times.h"

#include "tools/render/figures.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace timeless::tools {

namespace {

using replay::LaneResult;
using replay::RankTimes;

} // namespace

TimeColumns time_columns(std::span<const LaneResult> lanes) {
  TimeColumns columns{{"compute %", &RankTimes::compute},   {"copy %", &RankTimes::memory_copy},
                      {"overhead %", &RankTimes::overhead}, {"wait %", &RankTimes::wait},
                      {"latency %", &RankTimes::latency},   {"bandwidth %", &RankTimes::bandwidth}};
  // Most programs' ranks touch no file through MPI, and begin at 0.
  for (const auto& rare : {std::pair{"files %", &RankTimes::files}, std::pair{"not started %", &RankTimes::start}}) {
    const auto takes = [&](const RankTimes& times) { return times.*rare.second > 0; };
    if (std::ranges::any_of(lanes, [&](const LaneResult& lane) { return std::ranges::any_of(lane.ranks, takes); }))
      columns.emplace_back(rare);
  }
  return columns;
}

void add_names(std::vector<std::string>& header, const TimeColumns& columns) {
  for (const auto& column : columns)
    header.emplace_back(column.first);
}

void add_shares(std::vector<std::string>& row, const RankTimes& times, const TimeColumns& columns) {
  for (const auto& column : columns)
    row.push_back(percent_text(times.*column.second, times.end));
}

void add_parts(nlohmann::ordered_json& json, const RankTimes& times) {
  json["compute"] = times.compute;
  json["memory_copy"] = times.memory_copy;
  json["overhead"] = times.overhead;
  json["wait"] = times.wait;
  json["latency"] = times.latency;
  json["bandwidth"] = times.bandwidth;
  json["files"] = times.files;
  if (times.start != 0) json["not_started"] = times.start;
}

nlohmann::ordered_json to_json(const RankTimes& times, bool attributed) {
  nlohmann::ordered_json json{{"end", times.end}};
  if (attributed) add_parts(json, times);
  return json;
}

} // namespace timeless::tools
