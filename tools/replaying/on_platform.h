#pragma once

#include "tools/preset_machine.h"
#include "tools/replaying/prediction.h"

#include "replay/platform/mapping.h"
#include "replay/platform/platform.h"
#include "replay/platform/simgrid_network.h"

#include <filesystem>
#include <string>
#include <vector>

/// Predictions on platform files, whoever has loaded them.
namespace timeless::tools {

/// The platforms that come with Timeless, by name.
std::vector<std::string> known_platforms();
/// A platform's file by that, or by its own name. Throws Error(invalid_input).
std::filesystem::path platform_file(const std::string& name);

/// Throws Error(usage) unless there is either a platform or networks.
void require_machine(const PredictionOptions& options);

/// A prediction that is begun: what the platform says of the run.
struct OnPlatform {
  Prediction prediction;
  replay::Mapping mapping;
  ComputeSpeeds speeds; ///< from a file of rates, if there is one
};

OnPlatform place_on_platform(const trace::Source& source, const PredictionOptions& options,
                             const replay::Platform& platform);
/// The model's network on the platform.
replay::SimgridNetworkOptions network_options(const OnPlatform& on, const PredictionOptions& options);
void predict_with_model(OnPlatform& on, const trace::Source& source, const PredictionOptions& options,
                        const replay::Platform& platform);
/// What is to be said in the end, whatever predicted.
Prediction concluded(OnPlatform on);

} // namespace timeless::tools
