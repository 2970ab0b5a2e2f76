#pragma once

#include "tools/cli/console.h"
#include "tools/replaying/sweep/placed_machines.h"
#include "tools/reporting/report.h"

#include <vector>

/// The machines of a report.
namespace timeless::tools {

/// Returns what replays are asked to replay on.
PredictionOptions options_of(const ReportRequest& request, const std::string& trace);
/// Returns the same on the base machine alone.
PredictionOptions base_options(const Report& report);

/// A machine's class, and the 21 configurations that it rests on.
struct MachineClass {
  std::optional<analysis::Classification> classification; ///< none where a configuration deadlocks
  std::vector<replay::LaneResult> lanes;
};
MachineClass judge(const trace::Source& source, const PlacedMachines& machines, std::size_t machine,
                   const replay::ReplayOptions& options);

/// Returns what replays are asked whose progress is shown.
replay::ReplayOptions shown_on(Progress& progress);

/// Fills prediction, machines, base and the range of rates. `source` is Report::source, with measured rates where there
/// are any.
void predict_machines(Report& report, const trace::Source& source, bool calibrated);

/// Returns the makespans of each machine at the fastest and the slowest rate of a range; nothing of those that end in a
/// deadlock there, and of all where there is one rate.
std::vector<std::optional<analysis::Interval>> intervals_of(const PredictionOptions& options,
                                                            const trace::Source& source, const RateRange& rates);

/// Gives machines their classes and advice, and the base machine its curves, unless too little was recorded.
void classify_machines(Report& report, const trace::Source& source);

} // namespace timeless::tools
