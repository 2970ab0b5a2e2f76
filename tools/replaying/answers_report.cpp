#include "tools/replaying/answers_report.h"

#include "analysis/efficiencies.h"
#include "tools/cli/console.h"
#include "tools/render/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <sstream>
#include <type_traits>
#include <utility>

namespace timeless::tools {

namespace {

using nlohmann::ordered_json;
using replay::AttributeBy;
using replay::AttributedTimes;
using replay::Attribution;
using replay::LaneResult;
using replay::RankTimes;
using replay::Result;

/// "x1.234", "x1.23 to x1.25", "beyond x1024".
std::string factor_text(const Tolerance& tolerance) {
  if (tolerance.beyond) return fmt::format("beyond x{:.4g}", tolerance.least);
  const std::string mark = tolerance.certified ? "" : "about ";
  const double width = tolerance.most - tolerance.least;
  // As many digits as the bracket has.
  if (width < 2e-3 * (tolerance.least - 1)) {
    const int digits = std::clamp(3 - static_cast<int>(std::floor(std::log10(tolerance.least - 1))), 1, 9);
    return fmt::format("{}x{:.{}f}", mark, tolerance.least, digits);
  }
  return fmt::format("{}x{:.6g} to x{:.6g}", mark, tolerance.least, tolerance.most);
}

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

std::string below(const KernelEnds& ends) {
  return text_line("      from {}", symbols::end_in_words(ends.from)) +
         text_line("      to   {}", symbols::end_in_words(ends.to));
}

/// A line per part: its share of the time `total`, and how that divides; what is 0 everywhere has no column.
std::string parts_table(const Attribution& attribution, const std::vector<const AttributedTimes*>& parts,
                        std::size_t lane, double total, const AnswerOptions& options) {
  const std::vector<const AttributedTimes*> listed = longest(parts, lane, options.top);
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
  }
  std::istringstream lines(table.text());
  std::string text;
  std::string line;
  std::getline(lines, line);
  text += line + "\n";
  for (const AttributedTimes* part : listed) {
    std::getline(lines, line);
    text += line + "\n";
    const auto ends = options.kernels.find(part->subject);
    if (attribution.by == AttributeBy::kernels && ends != options.kernels.end()) text += below(ends->second);
  }
  if (listed.size() < parts.size()) text += fmt::format("and {} more\n", parts.size() - listed.size());
  return text;
}

ordered_json parts_json(const Attribution& attribution, const std::vector<const AttributedTimes*>& parts,
                        std::size_t lane, const AnswerOptions& options) {
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
    if (const auto ends = options.kernels.find(part->subject); ends != options.kernels.end())
      add_ends(json, ends->second);
    json["count"] = part->count;
    json["seconds"] = {{"all", times.end},
                       {"compute", times.compute},
                       {"memory_copy", times.memory_copy},
                       {"overhead", times.overhead},
                       {"wait", times.wait},
                       {"latency", times.latency},
                       {"bandwidth", times.bandwidth},
                       {"files", times.files}};
    if (times.start != 0) json["seconds"]["not_started"] = times.start;
    list.push_back(std::move(json));
  }
  return list;
}

ordered_json tolerances_json(const ToleranceAnswer& answer) {
  ordered_json json;
  json["certified"] = answer.not_convex_because.empty();
  if (!answer.not_convex_because.empty()) json["not_certified_because"] = answer.not_convex_because;
  json["samples"] = answer.samples;
  json["factors"] = ordered_json::array();
  for (const Tolerance& tolerance : answer.tolerances)
    json["factors"].push_back({{"growth", tolerance.growth},
                               {"least", tolerance.least},
                               {"most", std::isinf(tolerance.most) ? ordered_json() : ordered_json(tolerance.most)},
                               {"beyond", tolerance.beyond}});
  return json;
}

// ---- the critical path

using replay::PathSegment;

std::string part_of(double seconds, const CriticalPath& path) {
  return percent_text(path.makespan > 0 ? seconds / path.makespan : 0);
}

/// "rank 3, actions 14 to 20", "message from rank 2, action 7, to rank 3, action 13".
std::string segment_text(const PathSegment& segment) {
  switch (segment.kind) {
  case PathSegment::Kind::local:
    return fmt::format("rank {}, actions {} to {}", segment.rank, segment.first_action, segment.last_action);
  case PathSegment::Kind::message:
    return fmt::format("message from rank {}, action {}, to rank {}, action {}", segment.from, segment.first_action,
                       segment.rank, segment.last_action);
  case PathSegment::Kind::collective:
    return fmt::format("collective from rank {}, action {}, last to come, to rank {}, action {}", segment.from,
                       segment.first_action, segment.rank, segment.last_action);
  case PathSegment::Kind::not_started:
    return fmt::format("rank {}, before its start", segment.rank);
  case PathSegment::Kind::forgotten:
    break;
  }
  return fmt::format("beginning, up to rank {}, action {}", segment.rank, segment.last_action);
}

const char* kind_name(PathSegment::Kind kind) {
  switch (kind) {
  case PathSegment::Kind::local:
    return "local";
  case PathSegment::Kind::message:
    return "message";
  case PathSegment::Kind::collective:
    return "collective";
  case PathSegment::Kind::not_started:
    return "not_started";
  case PathSegment::Kind::forgotten:
    break;
  }
  return "forgotten";
}

/// What a piece's time is most of: "kernel 3", "latency".
std::string mostly(const CriticalPath& path, std::size_t number) {
  const PathSegment& segment = path.segments[number];
  if (segment.kind == PathSegment::Kind::not_started) return "not started";
  const double rest = segment.end - segment.begin - segment.compute - segment.latency - segment.bandwidth;
  const double most = std::max({segment.compute, segment.latency, segment.bandwidth, rest});
  if (most == segment.compute && most > 0) {
    const auto& kernels = path.kernels[number];
    const bool known = !kernels.empty() && kernels.front().kernel != trace::no_kernel;
    return known ? fmt::format("kernel {}", kernels.front().kernel) : "computation";
  }
  if (most == segment.latency) return "latency";
  return most == segment.bandwidth ? "bandwidth" : "copies, overheads";
}

/// The longest first; of those as long, the earlier first.
std::vector<std::size_t> longest_segments(const CriticalPath& path, std::size_t top) {
  std::vector<std::size_t> numbers(path.segments.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  std::ranges::stable_sort(numbers, std::greater{},
                           [&](std::size_t number) { return path.segments[number].end - path.segments[number].begin; });
  if (top > 0 && numbers.size() > top) numbers.resize(top);
  return numbers;
}

/// The kernels, or the ranks, that take most of the path.
template <typename Number>
std::string longest_table(const char* what, const std::map<Number, double>& seconds, const CriticalPath& path,
                          const AnswerOptions& options) {
  std::vector<std::pair<Number, double>> sorted(seconds.begin(), seconds.end());
  std::ranges::stable_sort(sorted, std::greater{}, [](const auto& each) { return each.second; });
  const std::size_t left_out =
      options.top > 0 && sorted.size() > options.top ? sorted.size() - options.top : std::size_t{0};
  sorted.resize(sorted.size() - left_out);
  Table table({what, "time", "%"});
  std::vector<std::string> below_line;
  for (const auto& [number, time] : sorted) {
    const auto id = static_cast<std::uint32_t>(number);
    table.add(
        {id == trace::no_kernel ? "none known" : std::to_string(number), human_seconds(time), part_of(time, path)});
    const auto ends = options.kernels.find(id);
    const bool named = std::is_same_v<Number, trace::KernelId> && ends != options.kernels.end();
    below_line.push_back(named ? below(ends->second) : "");
  }
  std::istringstream lines(table.text());
  std::string line;
  std::getline(lines, line);
  std::string text = "\n" + line + "\n";
  for (const std::string& names : below_line) {
    std::getline(lines, line);
    text += line + "\n" + names;
  }
  if (left_out > 0) text += fmt::format("and {} more\n", left_out);
  return text;
}

ordered_json segment_json(const CriticalPath& path, std::size_t number) {
  const PathSegment& segment = path.segments[number];
  ordered_json json{{"kind", kind_name(segment.kind)}, {"rank", segment.rank}};
  const bool travels = segment.kind == PathSegment::Kind::message || segment.kind == PathSegment::Kind::collective;
  if (travels) json["from_rank"] = segment.from;
  if (segment.kind != PathSegment::Kind::not_started) {
    json[travels ? "from_action" : "first_action"] = segment.first_action;
    json[travels ? "to_action" : "last_action"] = segment.last_action;
  }
  json["begin"] = segment.begin;
  json["end"] = segment.end;
  json["compute"] = segment.compute;
  json["latency"] = segment.latency;
  json["bandwidth"] = segment.bandwidth;
  if (path.kernels[number].empty()) return json;
  json["kernels"] = ordered_json::array();
  for (const KernelOnPath& part : path.kernels[number])
    json["kernels"].push_back({{"kernel", part.kernel == trace::no_kernel ? ordered_json() : ordered_json(part.kernel)},
                               {"seconds", part.seconds}});
  return json;
}

} // namespace

std::string efficiencies_text(const Result& result) {
  Table table({"efficiency %", "parallel", "load balance", "communication", "serialisation", "transfer"});
  for (const LaneResult& lane : result.lanes) {
    if (lane.deadlock) continue;
    if (!lane.ideal_makespan) return "";
    const Efficiencies found = efficiencies(lane);
    table.add({lane.name, percent_text(found.parallel), percent_text(found.load_balance),
               percent_text(found.communication), percent_text(found.serialisation), percent_text(found.transfer)});
  }
  return "\n" + table.text() + "parallel = load balance x communication, communication = serialisation x transfer\n";
}

std::string sensitivities_text(const Result& result) {
  Table table({"1 % less of it saves %", "latency", "byte time", "computation"});
  for (const LaneResult& lane : result.lanes) {
    if (lane.deadlock) continue;
    if (lane.rank_sensitivities.empty()) return "";
    const auto share = [&](double seconds) {
      return fmt::format("{:.3f}", lane.makespan > 0 ? seconds / lane.makespan : 0);
    };
    table.add({lane.name, share(lane.sensitivity.latency), share(lane.sensitivity.bandwidth),
               share(lane.sensitivity.compute)});
  }
  return "\n" + table.text();
}

std::string tolerances_text(const Prediction& prediction) {
  std::string text;
  for (std::size_t lane = 0; lane < prediction.tolerances.size(); ++lane) {
    if (prediction.result.lanes[lane].deadlock) continue;
    const LaneTolerance& tolerance = prediction.tolerances[lane];
    Table table({prediction.result.lanes[lane].name + " takes longer by", "at a latency", "at a byte time",
                 "at a computation time"});
    for (std::size_t i = 0; i < tolerance.latency.tolerances.size(); ++i)
      table.add({fmt::format("{:g} %", 100 * tolerance.latency.tolerances[i].growth),
                 factor_text(tolerance.latency.tolerances[i]), factor_text(tolerance.bandwidth.tolerances[i]),
                 factor_text(tolerance.compute.tolerances[i])});
    text += "\n" + table.text();
    const std::pair<const char*, const ToleranceAnswer*> answers[] = {
        {"latency", &tolerance.latency}, {"byte time", &tolerance.bandwidth}, {"computation time", &tolerance.compute}};
    for (const auto& [cost, answer] : answers)
      if (!answer->not_convex_because.empty())
        text +=
            text_line("of {}: from {} samples, without proof: {}", cost, answer->samples, answer->not_convex_because);
  }
  return text;
}

std::string division_text(const Prediction& prediction, const AnswerOptions& options) {
  const Attribution& attribution = prediction.result.attribution;
  if (attribution.by == AttributeBy::nothing) return "";
  std::string text;
  const std::vector<AttributedTimes> means = mean_parts(prediction.result);
  for (std::size_t i = 0; i < prediction.result.lanes.size(); ++i) {
    const LaneResult& lane = prediction.result.lanes[i];
    if (lane.deadlock) continue;
    text += "\n" + text_line("{}, means over the ranks", lane.name) +
            parts_table(attribution, pointers(means), i, mean(lane).end, options);
    if (!options.per_rank) continue;
    for (std::size_t rank = 0; rank < lane.ranks.size(); ++rank)
      text += "\n" + text_line("{}, rank {}", lane.name, rank) +
              parts_table(attribution, of_rank(attribution, static_cast<trace::Rank>(rank)), i, lane.ranks[rank].end,
                          options);
  }
  return text;
}

std::string critical_path_text(const Prediction& prediction, const AnswerOptions& options) {
  if (!prediction.critical_path) return "";
  const CriticalPath& path = *prediction.critical_path;
  Table sums(
      {"critical path of " + prediction.result.lanes.at(prediction.critical_path_lane).name, "count", "time", "%"});
  const auto add = [&](const std::string& what, const std::string& count, double seconds) {
    if (seconds != 0) sums.add({what, count, human_seconds(seconds), part_of(seconds, path)});
  };
  add("computation", "", path.compute);
  add("latency", "", path.latency);
  add("bandwidth", "", path.bandwidth);
  add("copies and overheads", "", path.rest);
  add("not started", "", path.not_started);
  add("of these, in messages", std::to_string(path.messages), path.in_messages);
  add("in collectives", std::to_string(path.collectives), path.in_collectives);
  add("in a beginning too long to keep", "", path.forgotten);
  Table pieces({"longest pieces", "from", "to", "time", "%", "mostly"});
  for (const std::size_t i : longest_segments(path, options.top)) {
    const PathSegment& segment = path.segments[i];
    pieces.add({segment_text(segment), human_seconds(segment.begin), human_seconds(segment.end),
                human_seconds(segment.end - segment.begin), part_of(segment.end - segment.begin, path),
                mostly(path, i)});
  }
  return "\n" + sums.text() + longest_table("kernel", path.by_kernel, path, options) +
         longest_table("rank", path.by_rank, path, options) + "\n" + pieces.text();
}

void add_ends(ordered_json& json, const KernelEnds& ends) {
  json["from"] = ends.from.empty() ? ordered_json() : ordered_json(ends.from);
  json["to"] = ends.to.empty() ? ordered_json() : ordered_json(ends.to);
}

ordered_json critical_path_json(const CriticalPath& path, const AnswerOptions& options) {
  ordered_json json{
      {"makespan_seconds", path.makespan},
      {"seconds",
       {{"compute", path.compute}, {"latency", path.latency}, {"bandwidth", path.bandwidth}, {"rest", path.rest}}},
      {"messages", {{"count", path.messages}, {"seconds", path.in_messages}}},
      {"collectives", {{"count", path.collectives}, {"seconds", path.in_collectives}}},
      {"forgotten_seconds", path.forgotten}};
  if (path.not_started != 0) json["seconds"]["not_started"] = path.not_started;
  json["by_rank"] = ordered_json::array();
  for (const auto& [rank, seconds] : path.by_rank)
    json["by_rank"].push_back({{"rank", rank}, {"seconds", seconds}});
  json["by_kernel"] = ordered_json::array();
  for (const auto& [kernel, seconds] : path.by_kernel) {
    json["by_kernel"].push_back(
        {{"kernel", kernel == trace::no_kernel ? ordered_json() : ordered_json(kernel)}, {"seconds", seconds}});
    if (const auto ends = options.kernels.find(kernel); ends != options.kernels.end())
      add_ends(json["by_kernel"].back(), ends->second);
  }
  json["segments"] = ordered_json::array();
  for (std::size_t i = 0; i < path.segments.size(); ++i)
    json["segments"].push_back(segment_json(path, i));
  return json;
}

ordered_json efficiencies_json(const LaneResult& lane) {
  const Efficiencies found = efficiencies(lane);
  return {{"parallel", known(found.parallel)},           {"load_balance", known(found.load_balance)},
          {"communication", known(found.communication)}, {"serialisation", known(found.serialisation)},
          {"transfer", known(found.transfer)},           {"ideal_makespan_seconds", *lane.ideal_makespan}};
}

ordered_json sensitivity_json(const LaneResult& lane) {
  return {{"latency_seconds", lane.sensitivity.latency},
          {"bandwidth_seconds", lane.sensitivity.bandwidth},
          {"compute_seconds", lane.sensitivity.compute}};
}

ordered_json tolerance_json(const LaneTolerance& tolerance) {
  return {{"latency", tolerances_json(tolerance.latency)},
          {"byte_time", tolerances_json(tolerance.bandwidth)},
          {"compute", tolerances_json(tolerance.compute)}};
}

ordered_json division_json(const Result& result, std::size_t lane, const AnswerOptions& options) {
  const std::vector<AttributedTimes> means = mean_parts(result);
  return parts_json(result.attribution, pointers(means), lane, options);
}

ordered_json division_json(const Result& result, std::size_t lane, trace::Rank rank, const AnswerOptions& options) {
  return parts_json(result.attribution, of_rank(result.attribution, rank), lane, options);
}

} // namespace timeless::tools
