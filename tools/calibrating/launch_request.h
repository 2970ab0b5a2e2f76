#pragma once

#include "tools/cli/cli11_fwd.h"

#include <chrono>
#include <string>

namespace timeless::tools {

/// What is said of the launches of a program that is measured.
struct LaunchRequest {
  int launches = 5;
  double limit_seconds = 3600; ///< of each
  std::string keep;            ///< a directory for their recordings; empty: none
  std::string from;            ///< where they were kept before; empty: nowhere

  std::chrono::seconds limit() const {
    return std::chrono::ceil<std::chrono::seconds>(std::chrono::duration<double>(limit_seconds));
  }
};

/// Adds its options; `request` must outlive the parsing.
void add_launch_options(CLI::App& command, LaunchRequest& request);

/// Throws Error(usage) unless there is either a command to launch or a directory of recordings.
void require_launches(const LaunchRequest& request, bool has_command);

} // namespace timeless::tools
