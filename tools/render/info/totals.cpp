#include "tools/render/info/totals.h"

#include "tools/cli/console.h"
#include "tools/render/figures.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

using trace::Run;

std::string spread_text(const analysis::Spread& spread) {
  return fmt::format("per rank {} (least {}, most {})", human_count(spread.mean), human_count(spread.least),
                     human_count(spread.most));
}

/// Returns what the ranks had resident at most; empty where that is not known of any.
std::string memory_text(const Run& run) {
  const trace::RankRecord* most = nullptr;
  std::uint64_t least = 0;
  for (const trace::RankRecord& record : run.ranks) {
    if (record.peak_memory == 0) continue;
    if (most == nullptr || record.peak_memory < least) least = record.peak_memory;
    if (most == nullptr || record.peak_memory > most->peak_memory) most = &record;
  }
  if (most == nullptr) return "";
  return fmt::format("per rank at most {} (rank {}), at least {}", bytes_text(most->peak_memory), most->rank,
                     bytes_text(least));
}

/// Returns what takes the room on disk.
std::string parts_text(const analysis::ArchiveParts& parts) {
  std::string text;
  const auto add = [&text](const char* what, std::uint64_t bytes) {
    if (bytes > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, bytes_text(bytes));
  };
  add("structure", parts.structure);
  add("volumes", parts.volumes);
  add("times", parts.times);
  add("definitions", parts.definitions);
  add("headers and index", parts.framing);
  return text;
}

std::string figures_text(const Totals& totals, const Run& run) {
  const analysis::Summary& summary = totals.summary;
  const auto bytes = static_cast<double>(totals.bytes_on_disk);
  std::string text;
  text += text_fact(15, "actions", "{}, {}", count_text(summary.actions), spread_text(summary.actions_per_rank));
  if (run.counter.unit != trace::VolumeUnit::none)
    text += text_fact(15, "computation", "{} {}, {}", human_count(summary.volume), name(run.counter.unit),
                      spread_text(summary.volume_per_rank));
  if (summary.workers > 0) {
    text += text_fact(15, "worker threads", "{} {} beside it, {}", human_count(summary.workers), name(run.counter.unit),
                      spread_text(summary.workers_per_rank));
    text += text_fact(15, "", "by the largest of each burst, {}", spread_text(summary.largest_worker_per_rank));
  }
  if (summary.threads_per_rank.most > 1)
    text += text_fact(15, "threads", "that make calls, {}", spread_text(summary.threads_per_rank));
  text += text_fact(15, "messages", "{} point to point, {}", count_text(summary.messages),
                    bytes_text(summary.message_bytes));
  if (const std::string memory = memory_text(run); !memory.empty()) text += text_fact(15, "memory", "{}", memory);
  text += text_fact(15, "on disk", "{}, {:.2f} bytes per action", bytes_text(totals.bytes_on_disk),
                    summary.actions == 0 ? 0 : bytes / static_cast<double>(summary.actions));
  if (totals.parts) text += text_fact(15, "", "{}", parts_text(*totals.parts));
  for (const auto& [call, count] : summary.unrecorded_calls)
    text += text_fact(15, "NOT RECORDED", "{} called {} times: not in the trace, so not in any replay", call, count);
  return text;
}

std::string calls_text(const analysis::Summary& summary) {
  std::vector<std::pair<std::string, analysis::CallSummary>> calls(summary.calls.begin(), summary.calls.end());
  std::ranges::stable_sort(calls, std::greater{}, [](const auto& call) { return call.second.count; });
  const auto moved = [](std::uint64_t bytes) { return bytes == 0 ? "-" : bytes_text(bytes); };
  Table table({"call", "count", "bytes sent", "received"});
  for (const auto& [call, figures] : calls)
    table.add({call, std::to_string(figures.count), moved(figures.bytes), moved(figures.bytes_received)});
  return "\n" + table.text();
}

} // namespace

std::string to_text(const Totals& totals, const Run& run) {
  return figures_text(totals, run) + calls_text(totals.summary);
}

nlohmann::ordered_json to_json(const Totals& totals) {
  const analysis::Summary& summary = totals.summary;
  nlohmann::ordered_json json{{"bytes_on_disk", totals.bytes_on_disk}};
  const analysis::ArchiveParts parts = totals.parts.value_or(analysis::ArchiveParts{});
  json["bytes_of"] = {{"structure", parts.structure},
                      {"volumes", parts.volumes},
                      {"times", parts.times},
                      {"definitions", parts.definitions},
                      {"framing", parts.framing}};
  json["actions"] = summary.actions;
  json["actions_per_rank"] = to_json(summary.actions_per_rank);
  json["volume"] = summary.volume;
  json["volume_per_rank"] = to_json(summary.volume_per_rank);
  json["workers"] = {{"volume", summary.workers},
                     {"volume_per_rank", to_json(summary.workers_per_rank)},
                     {"largest_per_rank", to_json(summary.largest_worker_per_rank)}};
  json["threads_per_rank"] = to_json(summary.threads_per_rank);
  json["messages"] = summary.messages;
  json["message_bytes"] = summary.message_bytes;
  json["calls"] = nlohmann::ordered_json::object();
  for (const auto& [call, figures] : summary.calls)
    json["calls"][call] = {
        {"count", figures.count}, {"bytes", figures.bytes}, {"bytes_received", figures.bytes_received}};
  json["unrecorded_calls"] = summary.unrecorded_calls;
  return json;
}

} // namespace timeless::tools
