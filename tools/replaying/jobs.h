#pragma once

#include "tools/replaying/report.h"
#include "tools/replaying/request.h"

namespace timeless::tools {

/// Replays several runs at once in SMPI, on one platform, and each of them alone, and prints when they end (schema
/// timeless.replay-jobs/1). The jobs are ReplayRequest::jobs, "run.tia@hostfile" or "run.tia". Returns the exit code.
/// Throws Error(usage) for what does not go with several jobs.
int replay_jobs(const ReplayRequest& request);

} // namespace timeless::tools
