#pragma once

#include "analysis/advisor/data_set.h"
#include "analysis/advisor/features.h"
#include "tools/replaying/prediction.h"

#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

/// A run on a platform, as the model sees it.
struct ExaminedCase {
  std::string platform = {};
  std::vector<analysis::AdvisorRow> rows = {}; ///< one for each speed of computation; SMPI's times where asked for
  std::optional<analysis::BusiestLink> busiest = {};
  std::vector<std::string> notes = {};
};

/// Replays a run on the one platform that is asked for, at each of the asked speeds of computation, with the bandwidth
/// and with an eighth of it; in SMPI, too, where `simulate`. The process's only SimGrid platform. Throws as predict().
ExaminedCase examine_case(const trace::Source& source, const PredictionOptions& options, bool simulate);

} // namespace timeless::tools
