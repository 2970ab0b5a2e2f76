#pragma once

#include "tools/info/request.h"

#include "trace/model/source.h"

#include <nlohmann/json.hpp>

namespace timeless::tools {

/// Prints who sends whom how much, the pairs that send most first, or adds all pairs to the answer.
void show_matrix(const InfoRequest& request, const trace::Source& source, nlohmann::ordered_json& json);

} // namespace timeless::tools
