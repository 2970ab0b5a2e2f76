#include "tools/render/replay/prediction/deadlock.h"

#include "base/escaping.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

using replay::LaneResult;

nlohmann::ordered_json blocked_json(const replay::BlockedRank& blocked) {
  nlohmann::ordered_json json{{"rank", blocked.rank}, {"action", blocked.action}, {"call", blocked.call}};
  if (blocked.thread != trace::no_rank) json["thread"] = blocked.thread;
  if (blocked.for_thread != trace::no_rank) {
    json["waits_for"] = "thread";
    json["for_thread"] = blocked.for_thread;
    return json;
  }
  json["communicator"] = blocked.communicator;
  if (!blocked.collective.empty()) {
    json["waits_for"] = "collective";
    json["collective"] = blocked.collective;
    json["missing"] = blocked.missing;
    json["missing_count"] = blocked.missing_count;
    return json;
  }
  json["waits_for"] = blocked.sends ? "receive" : "message";
  json["peer"] = blocked.peer;
  json["tag"] = blocked.tag;
  if (blocked.sends) json["bytes"] = blocked.bytes;
  return json;
}

} // namespace

std::string deadlocks_text(std::span<const LaneResult> lanes) {
  std::string text;
  std::vector<std::pair<const replay::Diagnosis*, std::vector<std::string>>> sorts;
  for (const LaneResult& lane : lanes) {
    if (!lane.deadlock) continue;
    auto sort = std::ranges::find(sorts, lane.deadlock.get(), [](const auto& one) { return one.first; });
    if (sort == sorts.end()) sort = sorts.insert(sort, {lane.deadlock.get(), {}});
    sort->second.push_back(lane.name);
  }
  for (const auto& [diagnosis, names] : sorts) {
    // "e1g", "e1g and 3 more"
    const std::string more = names.size() > 1 ? fmt::format(" and {} more", names.size() - 1) : "";
    text += fmt::format("\n{}{}: {}\n", escaped(names.front()), more, replay::text(*diagnosis));
  }
  return text;
}

std::string deadlock_sentence() {
  return std::string("ends in a deadlock: ") + deadlock_reason;
}

nlohmann::ordered_json to_json(const replay::Diagnosis& diagnosis) {
  nlohmann::ordered_json json{{"blocked", nlohmann::ordered_json::array()},
                              {"cycle", diagnosis.cycle},
                              {"remarks", diagnosis.remarks},
                              {"text", replay::text(diagnosis)}};
  for (const replay::BlockedRank& blocked : diagnosis.blocked)
    json["blocked"].push_back(blocked_json(blocked));
  return json;
}

} // namespace timeless::tools
