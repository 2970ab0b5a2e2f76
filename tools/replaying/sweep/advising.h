#pragma once

#include "analysis/sweep/advising.h"
#include "tools/replaying/rate_range.h"
#include "tools/replaying/sweep/placed_machines.h"

#include "trace/model/source.h"

#include <optional>
#include <vector>

namespace timeless::tools {

/// Returns what replays points of these machines and of a run, which have to stay.
analysis::ReplayedPoints replayed_points(const PlacedMachines& machines, const trace::Source& source,
                                         replay::ReplayOptions options);

/// Returns what helps a run on each of some machines, over the rates that are to be expected; nothing where it ends in
/// a deadlock. `rates` says what the machines' rates rest on.
std::vector<std::optional<analysis::Advice>> advise(const PlacedMachines& machines, const trace::Source& source,
                                                    const PresetMachineOptions& rates, double worth,
                                                    replay::ReplayOptions options);

} // namespace timeless::tools
