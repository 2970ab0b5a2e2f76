#pragma once

#include "tools/planning/launch_plan.h"
#include "tools/planning/next_commands.h"
#include "tools/planning/rank_memory.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// How ranks are divided among hosts (schema timeless.plan/1).
struct PlanAnswer {
  const PlanRequest& request;
  const RankMemory& memory;
  const NodePlan& plan;
  std::string reserve;  ///< as it was given
  std::string output;   ///< the hostfile that was written; empty: none
  std::string hostfile; ///< its text
  NextCommands next;
};

nlohmann::ordered_json to_json(const PlanAnswer& answer);
std::string to_text(const PlanAnswer& answer);

} // namespace timeless::tools
