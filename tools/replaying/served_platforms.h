#pragma once

#include "tools/replaying/on_platform.h"

#include "replay/distributed/served_platform.h"
#include "replay/result/problem.h"
#include "replay/result/result.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace timeless::tools {

/// Returns configurations in which a run does not end, for that reason.
std::vector<replay::LaneResult> stuck_lanes(std::span<const std::string> names, const replay::ReplayProblem& problem);

/// Platforms of one command. SimGrid holds one platform per process, so another program reads each.
class ServedPlatforms {
public:
  /// Serves platforms. `settings` are SimGrid's own, "KEY:VALUE". Throws what platform_file() and the loading throw.
  ServedPlatforms(std::span<const std::string> names, std::span<const std::string> settings);

  std::size_t size() const { return platforms_.size(); }
  const replay::Platform& operator[](std::size_t number) const { return *platforms_[number]; }

private:
  std::vector<std::unique_ptr<replay::ServedPlatform>> platforms_;
};

/// The rate of all machines of a command where nobody gives one: the speed of all hosts that the ranks are on, where it
/// is one, else the assumption, as for networks that are replayed on beside them. Nothing for a single platform, whose
/// hosts have their own speeds.
struct CommonRate {
  std::optional<OwnRate> rate;
  std::string note; ///< of speeds that are left aside; empty where none are
};
CommonRate common_rate(const trace::Run& run, const PresetMachineOptions& options, const ServedPlatforms& platforms,
                       bool beside_networks = false);

/// What predicts on a platform that has been served, and where ranks have been placed.
using PredictOnServed = void (*)(OnPlatform& on, const trace::Source& source, const PredictionOptions& options,
                                 const replay::Platform& platform);

/// Does as predict() on platforms, whose configurations follow each other. With the model it needs no SimGrid.
Prediction predict_on_served_platforms(const trace::Source& source, const PredictionOptions& options,
                                       PredictOnServed predict_one = predict_with_model);

/// Does as predict() with the model, on networks, or on platforms that are read by programs of their own: any number of
/// times in one process, of which SimGrid holds one platform.
Prediction predict_without_simgrid(const trace::Source& source, const PredictionOptions& options);

} // namespace timeless::tools
