#pragma once

#include "replay/engine/clocks/lane_model.h"
#include "replay/result/result.h"

#include <cstddef>

/// What clocks show, in one lane.
namespace timeless::replay {

/// Returns the time with what is pending, as settling would have it.
double shown(LaneModel& model, const Clock& clock, std::size_t lane);
double shown(const LaneModel& model, const Moment& moment, std::size_t lane);
/// Returns what has been counted, with what is pending.
RankTimes counted(LaneModel& model, const Clock& clock, std::size_t lane);
/// Returns what a settled clock holds.
RankTimes times(const LaneModel& model, const Clock& clock, std::size_t lane);
/// Returns the path to a settled clock's time; only in replays with ReplayOptions::sensitivities.
Sensitivity sensitivity(const LaneModel& model, const Clock& clock, std::size_t lane);
/// Returns the time now in the first lane, with its path; only in replays with ReplayOptions::critical_path.
Traced traced(LaneModel& model, const Clock& clock);

} // namespace timeless::replay
