#include "tools/render/info/trace_info.h"

#include "tools/render/info/kernels.h"
#include "tools/render/info/measured.h"
#include "tools/render/info/profile.h"
#include "tools/render/info/rank_statuses.h"
#include "tools/render/info/regions.h"
#include "tools/render/info/traffic.h"

#include <nlohmann/json.hpp>

namespace timeless::tools {

nlohmann::ordered_json to_json(const TraceInfo& info) {
  const trace::Run& run = info.head.run;
  nlohmann::ordered_json json = to_json(info.head);
  if (info.kernels) {
    json["kernels_visited"] = info.kernels->visited;
    json["kernels"] = to_json(*info.kernels, run);
    json["notices"] = info.kernels->notices;
  }
  if (info.regions) json["regions"] = to_json(*info.regions, run);
  if (info.profile) json["profile"] = to_json(*info.profile, run);
  if (info.traffic) json["matrix"] = to_json(*info.traffic);
  if (info.totals) json.update(to_json(*info.totals));
  if (info.measured) json["measured"] = to_json(*info.measured, run);
  json["not_finalized"] = to_json(info.not_finalized);
  return json;
}

std::string to_text(const TraceInfo& info) {
  const trace::Run& run = info.head.run;
  const std::string head = to_text(info.head);
  if (info.kernels) return head + "\n" + to_text(*info.kernels, run);
  if (info.regions) return head + "\n" + to_text(*info.regions, run);
  if (info.profile) return head + "\n" + to_text(*info.profile, run);
  if (info.traffic) return head + "\n" + to_text(*info.traffic);
  std::string text = head;
  if (info.totals) text += to_text(*info.totals, run);
  if (info.measured) text += "\n" + to_text(*info.measured, run);
  return text + to_text(info.not_finalized);
}

} // namespace timeless::tools
