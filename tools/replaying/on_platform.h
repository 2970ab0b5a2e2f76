#pragma once

#include "tools/machines/named_platforms.h"
#include "tools/machines/preset_machine.h"
#include "tools/replaying/prediction.h"

#include "replay/simgrid/mapping.h"
#include "replay/simgrid/platform.h"
#include "replay/simgrid/simgrid_network.h"

#include <optional>
#include <string>
#include <vector>

/// Predictions on platform files, whoever has loaded them.
namespace timeless::tools {

/// Throws Error(usage) unless there is either a platform or networks.
void require_machine(const PredictionOptions& options);

/// A prediction that is begun: what the platform says of the run.
struct OnPlatform {
  Prediction prediction;
  replay::Mapping mapping;
  ComputeSpeeds speeds;                        ///< from a file of rates, if there is one
  std::optional<double> units_per_second = {}; ///< of every rank; nothing: the hosts' speeds
};

/// Places a run on a platform. `common` is the rate of all machines of a command; without it, the hosts' speeds count
/// where nobody gives a rate.
OnPlatform place_on_platform(const trace::Run& run, const PredictionOptions& options, const replay::Platform& platform,
                             const std::optional<OwnRate>& common = {});
/// Returns the model's network on the platform.
replay::SimgridNetworkOptions network_options(const OnPlatform& on, const PredictionOptions& options);
void predict_with_model(OnPlatform& on, const trace::Source& source, const PredictionOptions& options,
                        const replay::Platform& platform);
/// Returns what is to be said in the end, whatever predicted.
Prediction concluded(OnPlatform on);

} // namespace timeless::tools
