#pragma once

#include "tools/info/request.h"

#include "analysis/standing.h"
#include "trace/model/source.h"

#include <nlohmann/json.hpp>

#include <vector>

namespace timeless::tools {

/// Where the ranks stand that have not finalized, from the trace and, of a recording, its files.
std::vector<RankStanding> standings_of(const InfoRequest& request, const trace::Source& source);
/// Prints them, those in the same call together.
void print_standings(const std::vector<RankStanding>& all);
nlohmann::ordered_json standings_json(const std::vector<RankStanding>& all);

} // namespace timeless::tools
