#pragma once

#include "tools/replaying/options/request.h"
#include "tools/replaying/prediction.h"

#include "trace/model/source.h"

#include <memory>
#include <string>
#include <vector>

namespace timeless::tools {

/// One of several runs that were replayed at once.
struct Job {
  PredictionOptions asked;
  std::unique_ptr<trace::Source> source;
  std::string lack;      ///< what its trace does not hold; empty when it is whole
  Prediction prediction; ///< of two configurations: together with the others, and alone

  /// Returns how much longer it takes together than alone: a factor.
  double times_as_long() const;
};

/// Replays several runs at once in SMPI, on one platform, and each of them alone. The jobs are ReplayRequest::jobs,
/// "run.tia@hostfile" or "run.tia". Warns of traces that are incomplete. Throws Error(usage) for what does not go with
/// several jobs.
std::vector<Job> predict_jobs(const ReplayRequest& request);

} // namespace timeless::tools
