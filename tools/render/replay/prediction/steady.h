#pragma once

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

/// Returns why the time measured while the trace was recorded is not to be compared with the replay's; empty where it
/// is.
std::string why_incomparable(const trace::Run& run, const std::optional<replay::SteadyReport>& steady);

} // namespace timeless::tools
