#pragma once

#include "ping/ping_plan.h"
#include "tools/cli/cli11_fwd.h"

#include <string>

namespace timeless::tools {

/// What `timeless-mpi ping` is told.
struct PingRequest {
  std::string output; ///< empty: standard output
  ping::PlanOptions plan;
  bool force = false;
};

/// Adds its options; `request` must outlive the parsing.
void add_ping_options(CLI::App& command, PingRequest& request);

} // namespace timeless::tools
