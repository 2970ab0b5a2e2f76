#pragma once

#include "analysis/advisor/data_set.h"
#include "analysis/advisor/features.h"
#include "tools/advising/named_parts.h"
#include "tools/replaying/prediction.h"

#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

/// What of a run is simulated.
enum class Simulations : unsigned char {
  none,
  shared,             ///< on the platform
  shared_and_unshared ///< on the platform, and on its links shared by nobody
};

/// A run on a platform, as the model sees it.
struct ExaminedCase {
  std::string platform = {};
  std::vector<analysis::AdvisorRow> rows = {}; ///< one for each speed of computation; SMPI's times where asked for
  std::optional<analysis::BusiestLink> busiest = {};
  std::vector<std::string> notes = {};
};

/// Replays a run on the one platform that is asked for, at each of the asked speeds of computation, with the bandwidth
/// and with an eighth of it; then in SMPI, as far as asked. The process's only SimGrid platform. Throws as predict().
ExaminedCase examine_case(const trace::Source& source, const PredictionOptions& options, Simulations simulations);

/// A part of a run, alone on a platform.
struct ExaminedPart {
  std::string name = {}; ///< empty: what lies in no region
  analysis::AdvisorRow row = {};
  std::string because = {}; ///< why it cannot be examined alone; the row is empty then
};

/// Examines a run and each part of it alone, at the one speed that is asked for, with the model. Throws as above.
ExaminedCase examine_case_by_parts(const trace::Source& source, const PredictionOptions& options,
                                   const NamedParts& named, std::vector<ExaminedPart>& parts);

/// Adds SMPI's time on links that nobody shares to a row that such an examination has made.
void add_unshared_time(analysis::AdvisorRow& row, const trace::Source& source, const PredictionOptions& options);

} // namespace timeless::tools
