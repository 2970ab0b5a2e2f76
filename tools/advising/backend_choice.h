#pragma once

#include "tools/replaying/prediction.h"

#include <string>

namespace timeless::tools {

/// What replays a run, and why.
struct BackendChoice {
  Backend backend = Backend::model;
  std::string because = {}; ///< a sentence
};

/// Chooses the model where it suffices, by the model of `timeless advise` that comes with Timeless; else SMPI, also
/// where the run is outside of what that was trained on. Examines the run in a process of its own. Throws Error(usage)
/// but for one configuration of one platform.
BackendChoice choose_backend(const PredictionOptions& options);

} // namespace timeless::tools
