#pragma once

#include "tools/replaying/request.h"

#include <filesystem>
#include <memory>

namespace timeless::tools {

/// The timeline that SimGrid itself writes of a simulation, with the names of SMPI's calls.
///
/// SimGrid writes it from the process of the simulation, and what this process has of it (the same beginning) goes
/// where it ends: so it is written to a file of its own, and copied.
class SimgridTimeline {
public:
  /// Asks for it, by settings of the request's prediction. Throws Error(usage), and Error(runtime) when the file cannot
  /// be written.
  explicit SimgridTimeline(ReplayRequest& request);
  ~SimgridTimeline();
  SimgridTimeline(const SimgridTimeline&) = delete;
  SimgridTimeline& operator=(const SimgridTimeline&) = delete;

  /// To be called after the simulation. Throws Error(runtime) when the disk is full.
  void finish();

private:
  std::filesystem::path file_;
  std::filesystem::path part_;
};

/// Nothing unless it is asked for (--timeline-format simgrid).
std::unique_ptr<SimgridTimeline> asked_simgrid_timeline(ReplayRequest& request);

} // namespace timeless::tools
