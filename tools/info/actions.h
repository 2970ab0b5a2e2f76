#pragma once

#include "tools/info/request.h"

#include "trace/model/source.h"

#include <nlohmann/json.hpp>

namespace timeless::tools {

/// Reads all actions, and prints how much a run computes, sends and takes on disk, its calls, and its times where it
/// has some; or adds all that to the answer.
void show_actions(const InfoRequest& request, const trace::Source& source, nlohmann::ordered_json& json);

} // namespace timeless::tools
