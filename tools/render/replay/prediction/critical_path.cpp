#include "tools/render/replay/prediction/critical_path.h"

#include "tools/cli/console.h"
#include "tools/render/figures.h"
#include "tools/render/replay/prediction/kernel_ends.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

using nlohmann::ordered_json;
using replay::PathSegment;

std::string part_of(double seconds, const analysis::CriticalPath& path) {
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
std::string mostly(const analysis::CriticalPath& path, std::size_t number) {
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

constexpr std::size_t most_listed = 100'000; // pieces in JSON, some 20 MB

/// The longest first; of those as long, the earlier first.
std::vector<std::size_t> longest_segments(const analysis::CriticalPath& path, std::size_t top) {
  std::vector<std::size_t> numbers(path.segments.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  std::ranges::stable_sort(numbers, std::greater{},
                           [&](std::size_t number) { return path.segments[number].end - path.segments[number].begin; });
  if (top > 0 && numbers.size() > top) numbers.resize(top);
  return numbers;
}

/// The kernels, or the ranks, that take most of the path; below each line what `below` says of it.
template <typename Number, typename Below>
std::string longest_table(const char* what, const std::map<Number, double>& seconds, const analysis::CriticalPath& path,
                          std::size_t top, const Below& below) {
  std::vector<std::pair<Number, double>> sorted(seconds.begin(), seconds.end());
  std::ranges::stable_sort(sorted, std::greater{}, [](const auto& each) { return each.second; });
  const std::size_t left_out = top > 0 && sorted.size() > top ? sorted.size() - top : std::size_t{0};
  sorted.resize(sorted.size() - left_out);
  Table table({what, "time", "%"});
  for (const auto& [number, time] : sorted) {
    const bool none = static_cast<trace::KernelId>(number) == trace::no_kernel;
    table.add({none ? "none known" : std::to_string(number), human_seconds(time), part_of(time, path)});
    table.add_below(below(number));
  }
  std::string text = "\n" + table.text();
  if (left_out > 0) text += fmt::format("and {} more\n", left_out);
  return text;
}

ordered_json segment_json(const analysis::CriticalPath& path, std::size_t number) {
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
  for (const analysis::KernelOnPath& part : path.kernels[number])
    json["kernels"].push_back({{"kernel", part.kernel == trace::no_kernel ? ordered_json() : ordered_json(part.kernel)},
                               {"seconds", part.seconds}});
  return json;
}

} // namespace

std::string to_text(const analysis::CriticalPath& path, const std::string& configuration,
                    const symbols::KernelEndsById& kernels, const ListingOptions& options) {
  Table sums({"critical path of " + configuration, "count", "time", "%"});
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
  return "\n" + sums.text() +
         longest_table("kernel", path.by_kernel, path, options.top,
                       [&](trace::KernelId kernel) { return ends_below(kernels, kernel); }) +
         longest_table("rank", path.by_rank, path, options.top, [](trace::Rank) { return ""; }) + "\n" + pieces.text();
}

ordered_json to_json(const analysis::CriticalPath& path, const symbols::KernelEndsById& kernels) {
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
    add_ends(json["by_kernel"].back(), kernels, kernel);
  }
  std::vector<std::size_t> listed = longest_segments(path, most_listed);
  std::ranges::sort(listed);
  if (const std::size_t left_out = path.segments.size() - listed.size(); left_out > 0)
    json["segments_left_out"] = left_out; // shorter than those that are listed
  json["segments"] = ordered_json::array();
  for (const std::size_t i : listed)
    json["segments"].push_back(segment_json(path, i));
  return json;
}

} // namespace timeless::tools
