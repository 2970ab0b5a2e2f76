#pragma once

#include "tools/replaying/options/request.h"

#include "base/files/new_file.h"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace timeless::tools {

/// The timeline that SimGrid itself writes of a simulation, with the names of SMPI's calls.
///
/// SimGrid opens its file by name, follows links, and puts what this process has of it (the same beginning) at its end
/// when this process ends: so it gets a file that has no name, and what is there after the simulation is copied.
class SimgridTimeline {
public:
  /// Asks for it, by settings of the request's prediction. Throws Error(usage), and Error(runtime) when the file cannot
  /// be written.
  explicit SimgridTimeline(ReplayRequest& request);
  ~SimgridTimeline();
  SimgridTimeline(const SimgridTimeline&) = delete;
  SimgridTimeline& operator=(const SimgridTimeline&) = delete;

  /// Ends the file after the simulation; returns the bytes written. Throws Error(runtime) when the disk is full.
  std::uint64_t finish();

private:
  std::filesystem::path name_;
  NewFile file_;
  int scratch_;
};

/// Returns nothing unless it is asked for (--timeline-format simgrid).
std::unique_ptr<SimgridTimeline> asked_simgrid_timeline(ReplayRequest& request);

} // namespace timeless::tools
