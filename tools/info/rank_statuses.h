#pragma once

#include "tools/info/request.h"

#include "analysis/rank_status.h"
#include "trace/model/source.h"

#include <nlohmann/json.hpp>

#include <vector>

namespace timeless::tools {

/// Where the ranks stand that have not finalized, from the trace and, of a recording, its files.
std::vector<RankStatus> rank_statuses_of(const InfoRequest& request, const trace::Source& source);
/// Prints them, those in the same call together.
void print_rank_statuses(const std::vector<RankStatus>& all);
nlohmann::ordered_json rank_statuses_json(const std::vector<RankStatus>& all);

} // namespace timeless::tools
