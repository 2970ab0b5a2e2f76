#pragma once

#include "analysis/tolerance.h"
#include "replay/network/variations.h"
#include "replay/result/result.h"

#include <cstddef>
#include <functional>
#include <span>

namespace timeless::analysis {

/// How much larger or smaller each cost of a configuration has to be for its makespan to grow or shrink as asked.
struct LaneTolerance {
  ToleranceAnswer latency;   ///< factors of the latencies between nodes
  ToleranceAnswer bandwidth; ///< factors of the times per byte between nodes
  ToleranceAnswer compute;   ///< factors of the time that computation takes
};

/// Replays variations of a network's lanes, with ReplayOptions::sensitivities, in their order.
using ReplayVariations = std::function<replay::Result(std::span<const replay::Variation>)>;

/// Searches for all three costs of a lane together, so that they share their replays. Throws as ToleranceSearch does.
LaneTolerance search_costs(const ReplayVariations& replay, std::size_t lane, const ToleranceOptions& options);

} // namespace timeless::analysis
