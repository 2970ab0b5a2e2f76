#pragma once

#include "analysis/statistics/quantiles.h"
#include "tools/machines/preset_machine.h"
#include "tools/replaying/prediction.h"
#include "trace/model/source.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Replays with measured rates.
namespace timeless::tools {

/// Returns the run as the machine's file of measured rates times it, and in `machine` what is to be said of that; the
/// run as it is where the file is written by hand, or there is none. Reads the run once. Throws Error(usage) for
/// --noise without measured rates, and for volumes of another counter than the rates are for; Error(invalid_input) as
/// read_rates() does.
std::unique_ptr<trace::Source> rated(std::unique_ptr<trace::Source> source, PresetMachineOptions& machine);

/// Returns what is to be said of measured rates on these machines, and of a machine's costs, with what their files say
/// against them; nothing where neither was measured.
std::vector<std::string> rates_notes(const PresetMachineOptions& machine, std::span<const MachineBasis> bases);

/// Returns what is to be said of the figures that machines have for messages: what the files they were measured into
/// say against them, and where they rest on smaller messages than some of the run's. Reads the run once for each
/// machine that says which.
std::vector<std::string> message_notes(const trace::Source& source, std::span<const MachineBasis> bases);

/// Returns what all computation takes at least and at most, over what the rates give: by the fastest and the slowest of
/// the calibration's launches, or by what a machine's micro-kernels differ from its costs. Nothing where neither was
/// measured.
std::optional<analysis::Interval> time_factors(const PresetMachineOptions& machine, const ComputeBasis& compute);

/// Gives the prediction the makespans that time_factors() lead to. In SMPI by as much as in the model on the same
/// machine. Does nothing where there are none.
void add_intervals(Prediction& prediction, const trace::Source& source, const PredictionOptions& asked);

} // namespace timeless::tools
