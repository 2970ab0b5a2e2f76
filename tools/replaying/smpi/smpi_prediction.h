#pragma once

#include "tools/replaying/prediction.h"

#include "replay/smpi/smpi_replay.h"

namespace timeless::tools {

/// Throws Error(usage) for what is the model's, or needs no platform.
void require_smpi_can(const PredictionOptions& options);
/// Returns what SMPI must know of what was asked: all but its scaling, and who is told.
replay::SmpiOptions smpi_options(const PredictionOptions& options);

} // namespace timeless::tools
