#pragma once

#include "tools/replaying/sweep/placed_machines.h"
#include "tools/reporting/report.h"

#include "replay/result/problem.h"

#include <string>
#include <vector>

namespace timeless::tools {

/// Returns on what a machine that a run does not end on would let it end: replays it there with each power of two above
/// the machine's eager limit, and with none, in one pass. `machines` are those of the report, with the run placed.
ReportedDeadlock deadlock_on(std::size_t machine, const PlacedMachines& machines, const trace::Source& source,
                             const replay::ReplayOptions& options);

/// Returns what is to be said of it, without the last period: "On small the program deadlocks: messages above its eager
/// limit of 1000 B wait for receives that come later. With a limit of 128 KiB or more it ends ...".
std::string deadlock_claim(const std::string& machine, const ReportedDeadlock& deadlock);

/// Returns why a run ends on none of the machines that are asked for, as a problem that says of each with which eager
/// limit it would; as it is, where a larger limit does not help.
replay::ReplayProblem with_limits(const replay::ReplayProblem& problem, const std::vector<ReportedMachine>& machines,
                                  const PredictionOptions& options, const trace::Source& source);

} // namespace timeless::tools
