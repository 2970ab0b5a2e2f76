#pragma once

#include "analysis/calibration/compute/visits.h"
#include "tools/calibrating/noise.h"
#include "trace/model/source.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

/// What to measure the times of a recording by.
struct ComputeMeasurement {
  std::vector<std::string> command = {}; ///< to launch; empty: `from` has the launches
  int launches = 5;                      ///< by each clock that is needed
  std::optional<std::chrono::seconds> budget = {};
  std::chrono::seconds limit = std::chrono::hours(1); ///< of a launch
  std::filesystem::path keep = {};
  std::filesystem::path saved = {}; ///< where launches are kept if what follows them fails, unless `keep` says
  std::optional<Noise> noise = {};  ///< of the host, before anything is launched; kept with the launches
  std::filesystem::path from = {};  ///< where an earlier measurement kept its recordings
};

/// The launches of a program, joined with the volumes of its recording.
struct MeasuredLaunches {
  std::vector<analysis::JoinedLaunch> launches;
  trace::Run first;                ///< of the first
  std::size_t walltime = 0;        ///< launches by the time that passes
  std::size_t cputime = 0;         ///< by processor time
  std::optional<Noise> noise = {}; ///< before they were launched, where that is known
  std::vector<std::string> not_reached = {};
};

/// Throws Error(usage) where nothing in the recording can be rated, Error(invalid_input) where it is not whole: before
/// anything is launched. `trace` is what the recording was called.
void require_volumes(const trace::Source& recording, const std::string& trace);

/// Launches the program by the time that passes and, where a twentieth of that is in visits of 0.1 ms or longer, as
/// often by processor time, since pre-emption is in long visits only. Where a hardware counter has counted the
/// volumes, launches are recorded by the same counter, with times. Hands them to `use`: where
/// that fails, too, the launches are kept. Throws as launch(), LaunchDirectory::fill(), analysis::join() and `use` do.
void measure(const trace::Source& volumes, const ComputeMeasurement& asked,
             const std::function<void(const MeasuredLaunches&)>& use);

} // namespace timeless::tools
