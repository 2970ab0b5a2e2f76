#pragma once

#include "tools/render/replay/sweep/sweep.h"
#include "tools/render/replay/sweep/upgrades.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <string>

/// Parts of a sweep's answer that several of its forms show.
namespace timeless::tools {

/// Returns what a replay of it says, and its factors.
nlohmann::ordered_json configuration_json(const SweepPrediction& prediction, const analysis::SweptConfiguration& one,
                                          const std::optional<analysis::Interval>& interval);
nlohmann::ordered_json configuration_json(const SweepPrediction& prediction, std::size_t place);
/// Returns the class of a configuration by its number in the grid.
nlohmann::ordered_json class_json(const SweepPrediction& prediction, std::size_t number);
/// Returns what a machine may lose, or has to gain, in one of these forms.
using JsonOfSearch = nlohmann::ordered_json (*)(const analysis::LaneTolerance&);

/// Returns the speed-ups of each machine over the factors of a grid, and what bounds it there.
std::string pictures_text(const SweepAnswer& answer);

} // namespace timeless::tools
