#pragma once

#include "replay/timeline/timeline.h"

#include <CLI/CLI.hpp>

#include <string>

namespace timeless::tools {

/// What a person types to have a timeline written.
struct TimelineRequest {
  std::string file;
  std::string format = "perfetto";
  std::string window;
  std::string ranks;
  std::string lane;

  bool asked() const { return !file.empty(); }
};

void add_timeline_options(CLI::App& command, TimelineRequest& request);

/// Reads the words, for a run of so many ranks. Throws Error(usage).
replay::timeline::TimelineOptions timeline_options(const TimelineRequest& request, trace::Rank ranks);

} // namespace timeless::tools
