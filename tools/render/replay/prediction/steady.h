#pragma once

#include "analysis/statistics/quantiles.h"
#include "replay/result/result.h"
#include "trace/model/run.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace timeless::tools {

/// Returns what a replay jumped over, and why not over more.
nlohmann::ordered_json to_json(const replay::SteadyReport& report);
/// Returns the same for people; `result` is what it was the replay of.
std::string to_text(const replay::SteadyReport& report, const replay::Result& result);

/// Returns between which times a configuration ends with the volumes that were recorded, with what rounding may be;
/// nothing where those were replayed.
std::optional<analysis::Interval> ends_as_recorded(const replay::LaneResult& lane);
/// Returns between which times the makespan lies in 95 of 100 samples; nothing where none was estimated, and where all
/// blocks took the same: what happens in no block is then not known.
std::optional<analysis::Interval> ends_in_samples(const replay::LaneResult& lane);

/// Returns why the time measured while the trace was recorded is not to be compared with the replay's; empty where it
/// is.
std::string why_incomparable(const trace::Run& run, const std::optional<replay::SteadyReport>& steady);

} // namespace timeless::tools
