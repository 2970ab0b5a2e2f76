#pragma once

#include "tools/info/request.h"

#include "trace/model/source.h"

#include <nlohmann/json.hpp>

namespace timeless::tools {

/// Lists the kernels that compute most, by where they begin and end, or adds them to the answer; warns of names that
/// could not be found.
void show_kernels(const InfoRequest& request, const trace::Source& source, nlohmann::ordered_json& json);

} // namespace timeless::tools
