#pragma once

#include "tools/info/request.h"

#include <nlohmann/json.hpp>

namespace timeless::tools {

/// Prints comma-separated values: of the answer the listing that was asked for as a table, else all there is, by its
/// path.
void print_csv(const InfoRequest& request, const nlohmann::ordered_json& json);

} // namespace timeless::tools
