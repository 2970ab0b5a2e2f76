#pragma once

#include "analysis/trust.h"
#include "tools/machines/preset_machine.h"
#include "tools/replaying/rate_range.h"

#include "replay/result/result.h"
#include "trace/model/run.h"

namespace timeless::tools {

/// Returns what answers about a run on a machine rest on, as far as the trace, the rates and the critical path there
/// say: not what is left out, compared, or known of the machines' figures. `makespan` is in seconds.
analysis::Grounds grounds(const trace::Run& run, const PresetMachineOptions& machine, const RateRange& rates,
                          double makespan, const replay::Sensitivity& path);

} // namespace timeless::tools
