#pragma once

#include "analysis/sweep/cost_search.h"
#include "tools/replaying/prediction.h"

#include "replay/network/network.h"
#include "trace/model/source.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace timeless::tools {

/// Replays on a network and answers what was asked beyond times: tolerances, and the critical path. Fills the
/// prediction's result and answers.
void replay_and_ask(Prediction& prediction, const trace::Source& source, const replay::Network& network,
                    const PredictionOptions& options);

/// What tolerance() tells of a platform.
inline constexpr const char* platform_costs_note =
    "on platforms, factors of latency and byte time are of what a message costs, its envelope of 16 bytes being "
    "latency and the windows of TCP as they are: --latency and --bandwidth, which change the links, may need others";

/// Returns how much each cost of a network's lane has to change for its makespan to grow, or shrink, as asked.
analysis::LaneTolerance tolerance(const trace::Source& source, const replay::Network& network, std::size_t lane,
                                  const PredictionOptions& options, std::span<const double> growths,
                                  Progress& progress);

/// Returns why the makespan need not be a convex function of a network's costs; empty when it is one.
std::string why_not_convex(const replay::ReplayOptions& options);

/// Reads growths, "1%,2%,5%" as 0.01, 0.02, 0.05; a number without the sign is none. Throws Error(usage).
std::vector<double> parse_growths(const std::string& text, const std::string& option);

} // namespace timeless::tools
