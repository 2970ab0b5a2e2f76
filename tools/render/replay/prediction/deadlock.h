#pragma once

#include "replay/result/problem.h"
#include "replay/result/result.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>

namespace timeless::tools {

/// Says why a run does not end on a machine.
inline constexpr const char* deadlock_reason = "messages above the eager limit wait for receives that come later";
/// Returns "ends in a deadlock: " with that.
std::string deadlock_sentence();

/// Returns why a configuration does not end.
nlohmann::ordered_json to_json(const replay::Diagnosis& diagnosis);
/// Writes each sort of deadlock once, with the configurations that it ends.
std::string deadlocks_text(std::span<const replay::LaneResult> lanes);

} // namespace timeless::tools
