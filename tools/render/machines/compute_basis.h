#pragma once

#include "tools/machines/machine_basis.h"

#include <nlohmann/json.hpp>

#include <string>

namespace timeless::tools {

/// {"from": "--compute-rate", "least_per_second": 3e9, "most_per_second": 3e9}; rates are null where there are none.
nlohmann::ordered_json to_json(const ComputeBasis& compute);
nlohmann::ordered_json rate_json(const std::string& from, double least, double most);

} // namespace timeless::tools
