#pragma once

#include "analysis/efficiencies.h"
#include "replay/result/result.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>

namespace timeless::tools {

/// Returns where a configuration's processors are lost: Efficiencies, and the makespan they rest on. Of a lane that was
/// replayed with ReplayOptions::ideal.
nlohmann::ordered_json efficiencies_json(const replay::LaneResult& lane);
nlohmann::ordered_json efficiencies_json(const analysis::Efficiencies& found, double ideal_makespan);
/// Writes a line for each configuration that ends, below an empty one; empty where the efficiencies of one are not
/// known.
std::string efficiencies_text(std::span<const replay::LaneResult> lanes);

/// Returns what a configuration's critical path is made of.
nlohmann::ordered_json to_json(const replay::Sensitivity& sensitivity);
/// Writes likewise what 1 % less of a cost saves.
std::string sensitivities_text(std::span<const replay::LaneResult> lanes);

} // namespace timeless::tools
