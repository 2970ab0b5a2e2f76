#pragma once

#include "tools/machines/machine_basis.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// Returns {"from": "--compute-rate", "least_per_second": 3e9, "most_per_second": 3e9}; rates are null where there are
/// none.
nlohmann::ordered_json to_json(const ComputeBasis& compute);
/// Units per second where all ranks have the same rate, "4.00 G/s", else relative to that: "0.5 times the speed".
std::string speed_words(const ComputeBasis& compute, double speed);
nlohmann::ordered_json rate_json(const std::string& from, double least, double most);

} // namespace timeless::tools
