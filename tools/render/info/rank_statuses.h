#pragma once

#include "analysis/trace/rank_status.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace timeless::tools {

/// Returns where the ranks stand that have not finalized.
nlohmann::ordered_json to_json(const std::vector<analysis::RankStatus>& statuses);
/// Returns ranks in the same call together; empty where all have finalized.
std::string to_text(const std::vector<analysis::RankStatus>& statuses);

} // namespace timeless::tools
