#pragma once

#include "tools/planning/launch_plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace timeless::tools {

/// What is typed after a plan.
struct NextCommands {
  std::string record;
  std::string gather;
};

/// Returns the next commands for a plan of so many ranks whose hostfile is, or will be, `hostfile` (empty: nobody has
/// named it). `counter` and `program` may be empty.
NextCommands next_commands(const NodePlan& plan, std::uint32_t ranks, const std::string& hostfile,
                           const std::string& counter, const std::vector<std::string>& program);

} // namespace timeless::tools
