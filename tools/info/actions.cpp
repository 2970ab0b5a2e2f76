#include "tools/info/actions.h"

#include "analysis/archive_parts.h"
#include "analysis/measured.h"
#include "analysis/summary.h"
#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/render/time_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

using trace::Run;

std::string spread_text(const Spread& spread) {
  return fmt::format("per rank {} (least {}, most {})", human_count(spread.mean), human_count(spread.least),
                     human_count(spread.most));
}

/// What the ranks had resident at most; empty where that is not known of any.
std::string memory_text(const Run& run) {
  const trace::RankRecord* most = nullptr;
  std::uint64_t least = 0;
  for (const trace::RankRecord& record : run.ranks) {
    if (record.peak_memory == 0) continue;
    if (most == nullptr || record.peak_memory < least) least = record.peak_memory;
    if (most == nullptr || record.peak_memory > most->peak_memory) most = &record;
  }
  if (most == nullptr) return "";
  return fmt::format("per rank at most {} (rank {}), at least {}", human_bytes(static_cast<double>(most->peak_memory)),
                     most->rank, human_bytes(static_cast<double>(least)));
}

/// What takes the room on disk.
std::string parts_text(const ArchiveParts& parts) {
  std::string text;
  const auto add = [&text](const char* what, std::uint64_t bytes) {
    if (bytes > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, human_bytes(static_cast<double>(bytes)));
  };
  add("structure", parts.structure);
  add("volumes", parts.volumes);
  add("times", parts.times);
  add("definitions", parts.definitions);
  add("headers and index", parts.framing);
  return text;
}

void print_figures(const InfoRequest& request, const trace::Source& source, const Summary& summary) {
  const Run& run = source.run();
  const auto bytes = static_cast<double>(trace_bytes(request.trace, source));
  print_line("{:<15}{}, {}", "actions", human_count(static_cast<double>(summary.actions)),
             spread_text(summary.actions_per_rank));
  if (run.counter.unit != trace::VolumeUnit::none)
    print_line("{:<15}{} {}, {}", "computation", human_count(summary.volume), name(run.counter.unit),
               spread_text(summary.volume_per_rank));
  if (summary.workers > 0) {
    print_line("{:<15}{} {} beside it, {}", "worker threads", human_count(summary.workers), name(run.counter.unit),
               spread_text(summary.workers_per_rank));
    print_line("{:<15}by the largest of each burst, {}", "", spread_text(summary.largest_worker_per_rank));
  }
  if (summary.threads_per_rank.most > 1)
    print_line("{:<15}that make calls, {}", "threads", spread_text(summary.threads_per_rank));
  print_line("{:<15}{} point to point, {}", "messages", human_count(static_cast<double>(summary.messages)),
             human_bytes(static_cast<double>(summary.message_bytes)));
  if (const std::string memory = memory_text(run); !memory.empty()) print_line("{:<15}{}", "memory", memory);
  print_line("{:<15}{}, {:.2f} bytes per action", "on disk", human_bytes(bytes),
             summary.actions == 0 ? 0 : bytes / static_cast<double>(summary.actions));
  if (request.from.ours()) print_line("{:<15}{}", "", parts_text(archive_parts(request.trace)));
  for (const auto& [call, count] : summary.unrecorded_calls)
    print_line("{:<15}{} called {} times: not in the trace, so not in any replay", "NOT RECORDED", call, count);
}

void print_calls(const Summary& summary) {
  std::vector<std::pair<std::string, CallSummary>> calls(summary.calls.begin(), summary.calls.end());
  std::ranges::stable_sort(calls, std::greater{}, [](const auto& call) { return call.second.count; });
  const auto moved = [](std::uint64_t bytes) { return bytes == 0 ? "-" : human_bytes(static_cast<double>(bytes)); };
  Table table({"call", "count", "bytes sent", "received"});
  for (const auto& [call, figures] : calls)
    table.add({call, std::to_string(figures.count), moved(figures.bytes), moved(figures.bytes_received)});
  fmt::print("\n{}", table.text());
}

nlohmann::ordered_json spread_json(const Spread& spread) {
  return {{"least", spread.least}, {"mean", spread.mean}, {"most", spread.most}};
}

void add_figures(nlohmann::ordered_json& json, const InfoRequest& request, const trace::Source& source,
                 const Summary& summary) {
  json["bytes_on_disk"] = trace_bytes(request.trace, source);
  const ArchiveParts parts = request.from.ours() ? archive_parts(request.trace) : ArchiveParts{};
  json["bytes_of"] = {{"structure", parts.structure},
                      {"volumes", parts.volumes},
                      {"times", parts.times},
                      {"definitions", parts.definitions},
                      {"framing", parts.framing}};
  json["actions"] = summary.actions;
  json["actions_per_rank"] = spread_json(summary.actions_per_rank);
  json["volume"] = summary.volume;
  json["volume_per_rank"] = spread_json(summary.volume_per_rank);
  json["workers"] = {{"volume", summary.workers},
                     {"volume_per_rank", spread_json(summary.workers_per_rank)},
                     {"largest_per_rank", spread_json(summary.largest_worker_per_rank)}};
  json["threads_per_rank"] = spread_json(summary.threads_per_rank);
  json["messages"] = summary.messages;
  json["message_bytes"] = summary.message_bytes;
  json["calls"] = nlohmann::ordered_json::object();
  for (const auto& [call, figures] : summary.calls)
    json["calls"][call] = {
        {"count", figures.count}, {"bytes", figures.bytes}, {"bytes_received", figures.bytes_received}};
  json["unrecorded_calls"] = summary.unrecorded_calls;
}

void show_times(const InfoRequest& request, const trace::Source& source, nlohmann::ordered_json& json) {
  std::optional<Measured> times;
  {
    Progress progress("reading times", total_actions(source.run()));
    times = measured(source, [&](std::uint64_t done) { progress.update(done); });
  }
  if (!times) return;
  if (request.as_data())
    json["measured"] = listing_json(source.run(), *times);
  else
    fmt::print("\n{}", listing_text(source.run(), *times));
}

} // namespace

void show_actions(const InfoRequest& request, const trace::Source& source, nlohmann::ordered_json& json) {
  Summary summary;
  {
    Progress progress("reading", total_actions(source.run()));
    summary = summarise(source, [&](std::uint64_t done) { progress.update(done); });
  }
  if (request.as_data()) {
    add_figures(json, request, source, summary);
  } else {
    print_figures(request, source, summary);
    print_calls(summary);
  }
  show_times(request, source, json);
}

} // namespace timeless::tools
