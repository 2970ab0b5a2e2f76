#pragma once

#include "replay/result/result.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

/// Returns where the time of a rank, or of the mean rank, went: seconds. Only "end" where nobody says why (`attributed`
/// false).
nlohmann::ordered_json to_json(const replay::RankTimes& times, bool attributed = true);
/// Adds what the end, or the sum, is made of.
void add_parts(nlohmann::ordered_json& json, const replay::RankTimes& times);

/// The parts of a rank's time that have columns, and what these are called.
using TimeColumns = std::vector<std::pair<const char*, double replay::RankTimes::*>>;

/// Returns those of these configurations: what takes time of all programs, and what takes time here.
TimeColumns time_columns(std::span<const replay::LaneResult> lanes);
void add_names(std::vector<std::string>& header, const TimeColumns& columns);
/// Adds how a rank's, or the mean rank's, time divides, in percent of its end.
void add_shares(std::vector<std::string>& row, const replay::RankTimes& times, const TimeColumns& columns);

} // namespace timeless::tools
