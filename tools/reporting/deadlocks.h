#pragma once

#include "tools/replaying/sweep/placed_machines.h"
#include "tools/reporting/report.h"

namespace timeless::tools {

/// Returns on what a machine that a run does not end on would let it end: replays it there with each power of two above
/// the machine's eager limit, and with none, in one pass. `machines` are those of the report, with the run placed.
ReportedDeadlock deadlock_on(std::size_t machine, const PlacedMachines& machines, const trace::Source& source,
                             const replay::ReplayOptions& options);

} // namespace timeless::tools
