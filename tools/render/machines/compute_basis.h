#pragma once

#include "tools/machines/machine_basis.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// Returns {"from": "--compute-rate", "least_per_second": 3e9, "most_per_second": 3e9}; rates are null where there are
/// none.
nlohmann::ordered_json to_json(const ComputeBasis& compute);
/// Returns units per second where all ranks have the same rate, "4.00 G instructions/s", else relative to the rates
/// that are taken: "0.5 times the speed".
std::string speed_words(const ComputeBasis& compute, double speed);
/// Returns a speed between these two likewise, in as few digits as say one: "about 11.4 G instructions/s".
std::string turn_words(const ComputeBasis& compute, double slowest, double fastest);
nlohmann::ordered_json rate_json(const std::string& from, double least, double most);

} // namespace timeless::tools
