#pragma once

#include "replay/distributed/process_work.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace timeless::tools {

/// Returns what each process of a distributed replay did.
nlohmann::ordered_json to_json(const std::vector<replay::ProcessWork>& processes);
/// Returns a table below an empty line; empty where there are none.
std::string to_text(const std::vector<replay::ProcessWork>& processes);

} // namespace timeless::tools
