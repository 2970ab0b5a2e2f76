#pragma once

#include "replay/timeline/timeline.h"
#include "tools/cli/cli11_fwd.h"
#include "tools/replaying/written_timeline.h"

#include <string>
#include <vector>

namespace timeless::tools {

/// What a person types to have a timeline written.
struct TimelineRequest {
  std::string file;
  std::string format = "by name"; ///< by name: see timeline_format()
  std::string window;
  std::string ranks;
  std::string lane;
  bool force = false;

  bool asked() const { return !file.empty(); }
  Existing existing() const { return force ? Existing::replace : Existing::refuse; }
};

/// Returns the word of --timeline-format: as asked, or by the end of the file's name.
std::string timeline_format(const TimelineRequest& request);

/// Returns what is told of it when it is there.
WrittenTimeline written(const TimelineRequest& request, std::uint64_t bytes);

/// Returns what is to be noted of it beside the result: that its window begins after the end of all that was replayed.
std::vector<std::string> timeline_notes(const TimelineRequest& request, const replay::Result& result);

void add_timeline_options(CLI::App& command, TimelineRequest& request);

/// Reads the words, for a run of so many ranks. Throws Error(usage).
replay::timeline::TimelineOptions timeline_options(const TimelineRequest& request, trace::Rank ranks);

} // namespace timeless::tools
