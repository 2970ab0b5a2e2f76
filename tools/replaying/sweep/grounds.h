#pragma once

#include "analysis/trust.h"
#include "tools/machines/preset_machine.h"
#include "tools/replaying/rate_range.h"

#include "replay/result/result.h"
#include "trace/model/run.h"

#include <filesystem>
#include <string>

namespace timeless::tools {

/// Returns what answers about a run on a machine rest on, as far as the trace, the rates and the critical path there
/// say: not what is left out, compared, or known of the machines' figures. `makespan` is in seconds.
analysis::Grounds grounds(const trace::Run& run, const PresetMachineOptions& machine, const RateRange& rates,
                          double makespan, const replay::Sensitivity& path);

/// Returns where a machine's figures come from, with what the file that they were measured into says against them;
/// `file` is empty where there is none.
analysis::FiguresOf machine_figures(const std::string& machine, const std::string& trust,
                                    const std::filesystem::path& file);

} // namespace timeless::tools
