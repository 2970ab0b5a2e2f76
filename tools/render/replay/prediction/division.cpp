#include "tools/render/replay/prediction/division.h"

#include "tools/cli/console.h"
#include "tools/render/figures.h"
#include "tools/render/replay/prediction/kernel_ends.h"
#include "tools/render/replay/prediction/times.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

using nlohmann::ordered_json;
using replay::AttributeBy;
using replay::AttributedTimes;
using replay::Attribution;
using replay::LaneResult;
using replay::RankTimes;

std::string subject_text(const Attribution& attribution, std::uint32_t subject) {
  if (subject == replay::other_subjects) return "others";
  if (subject == replay::before_start) return "not started";
  if (attribution.by == AttributeBy::calls) return attribution.calls.at(subject);
  return subject == replay::no_subject ? "before the first" : std::to_string(subject);
}

/// The parts that take longest in a lane, the longest first.
std::vector<const AttributedTimes*> longest(const std::vector<const AttributedTimes*>& parts, std::size_t lane,
                                            std::size_t top) {
  std::vector<const AttributedTimes*> sorted = parts;
  std::ranges::stable_sort(sorted, std::greater{}, [&](const auto* part) { return part->lanes.at(lane).end; });
  if (top > 0 && sorted.size() > top) sorted.resize(top);
  return sorted;
}

std::vector<const AttributedTimes*> pointers(const std::vector<AttributedTimes>& parts) {
  std::vector<const AttributedTimes*> all;
  for (const AttributedTimes& part : parts)
    all.push_back(&part);
  return all;
}

std::vector<const AttributedTimes*> of_rank(const Attribution& attribution, trace::Rank rank) {
  const auto [begin, end] = std::ranges::equal_range(attribution.parts, rank, {}, &AttributedTimes::rank);
  std::vector<const AttributedTimes*> all;
  for (auto part = begin; part != end; ++part)
    all.push_back(&*part);
  return all;
}

constexpr std::pair<const char*, double RankTimes::*> counters[] = {
    {"compute", &RankTimes::compute}, {"copy", &RankTimes::memory_copy},  {"overhead", &RankTimes::overhead},
    {"wait", &RankTimes::wait},       {"latency", &RankTimes::latency},   {"bandwidth", &RankTimes::bandwidth},
    {"files", &RankTimes::files},     {"not started", &RankTimes::start},
};

/// A line per part: its share of the time `total`, and how that divides; what is 0 everywhere has no column.
std::string parts_table(const Attribution& attribution, const std::vector<const AttributedTimes*>& parts,
                        std::size_t lane, double total, const symbols::KernelEndsById& kernels, std::size_t top) {
  const std::vector<const AttributedTimes*> listed = longest(parts, lane, top);
  std::vector<std::pair<const char*, double RankTimes::*>> columns;
  for (const auto& counter : counters)
    if (std::ranges::any_of(listed, [&](const auto* part) { return part->lanes[lane].*counter.second != 0; }))
      columns.push_back(counter);
  std::vector<std::string> header{attribution.by == AttributeBy::calls ? "call" : "kernel", "count", "time", "%"};
  for (const auto& [name, member] : columns)
    header.push_back(std::string(name) + " %");
  Table table(header);
  const auto share = [&](double seconds) { return percent_text(total > 0 ? seconds / total : 0); };
  for (const AttributedTimes* part : listed) {
    const RankTimes& times = part->lanes[lane];
    std::vector<std::string> row{subject_text(attribution, part->subject), std::to_string(part->count),
                                 human_seconds(times.end), share(times.end)};
    for (const auto& [name, member] : columns)
      row.push_back(share(times.*member));
    table.add(row);
    if (attribution.by == AttributeBy::kernels) table.add_below(ends_below(kernels, part->subject));
  }
  std::string text = table.text();
  if (listed.size() < parts.size()) text += fmt::format("and {} more\n", parts.size() - listed.size());
  return text;
}

ordered_json parts_json(const Attribution& attribution, const std::vector<const AttributedTimes*>& parts,
                        std::size_t lane, const symbols::KernelEndsById& kernels) {
  ordered_json list = ordered_json::array();
  for (const AttributedTimes* part : longest(parts, lane, 0)) {
    const RankTimes& times = part->lanes.at(lane);
    ordered_json json;
    if (part->subject == replay::other_subjects)
      json["others"] = true;
    else if (part->subject == replay::before_start)
      json["not_started"] = true;
    else if (attribution.by == AttributeBy::calls)
      json["call"] = attribution.calls.at(part->subject);
    else
      json["kernel"] = part->subject == replay::no_subject ? ordered_json() : ordered_json(part->subject);
    if (attribution.by == AttributeBy::kernels) add_ends(json, kernels, part->subject);
    json["count"] = part->count;
    json["seconds"] = {{"all", times.end}};
    add_parts(json["seconds"], times);
    list.push_back(std::move(json));
  }
  return list;
}

} // namespace

std::string division_text(const Prediction& prediction, const ListingOptions& options) {
  const Attribution& attribution = prediction.result.attribution;
  if (attribution.by == AttributeBy::nothing) return "";
  std::string text;
  const std::vector<AttributedTimes> means = mean_parts(prediction.result);
  for (std::size_t i = 0; i < prediction.result.lanes.size(); ++i) {
    const LaneResult& lane = prediction.result.lanes[i];
    if (lane.deadlock) continue;
    text += "\n" + text_line("{}, means over the ranks", lane.name) +
            parts_table(attribution, pointers(means), i, mean(lane).end, prediction.kernels, options.top);
    if (!options.per_rank) continue;
    for (std::size_t rank = 0; rank < lane.ranks.size(); ++rank)
      text += "\n" + text_line("{}, rank {}", lane.name, rank) +
              parts_table(attribution, of_rank(attribution, static_cast<trace::Rank>(rank)), i, lane.ranks[rank].end,
                          prediction.kernels, options.top);
  }
  return text;
}

ordered_json division_json(const Prediction& prediction, std::size_t lane) {
  const std::vector<AttributedTimes> means = mean_parts(prediction.result);
  return parts_json(prediction.result.attribution, pointers(means), lane, prediction.kernels);
}

ordered_json division_json(const Prediction& prediction, std::size_t lane, trace::Rank rank) {
  const Attribution& attribution = prediction.result.attribution;
  return parts_json(attribution, of_rank(attribution, rank), lane, prediction.kernels);
}

} // namespace timeless::tools
