#pragma once

#include "ping/ping_plan.h"

#include <filesystem>
#include <string>
#include <vector>

namespace timeless::tools {

/// Several measurements of a network, each by a start of its own: figures differ more between starts than within one.
struct PingLaunches {
  std::vector<std::string> launcher; ///< mpirun and its options: what it starts is timeless-mpi ping
  unsigned count = 5;
  double budget = 60;        ///< seconds for all, their starts too
  ping::PlanOptions plan;    ///< its budget does not count
  std::filesystem::path raw; ///< where the measurements are kept
  bool force = false;        ///< replaces an existing file
};

/// Runs them, and keeps what they measure line by line: whatever happens later, that stays. What else the launcher
/// prints goes to stderr. Throws Error(usage) where the file exists or the launcher cannot be executed, Error(runtime)
/// where a launch fails, measures nothing, does not end in time or is interrupted, or the file cannot be written. Where
/// nothing was measured, no file is left. The budget holds for all of it: once the first launch has shown what starting
/// takes, as many of the others are made as fit. Returns what was cut so, a sentence, else nothing.
std::string measure(const PingLaunches& launches);

} // namespace timeless::tools
