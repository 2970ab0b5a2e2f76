#pragma once

#include "tools/info/request.h"

#include "trace/model/run.h"

#include <nlohmann/json.hpp>

namespace timeless::tools {

/// Prints what a trace says of its run, without its actions: program, counter, hosts, what was noted while recording.
void print_head(const InfoRequest& request, const trace::Run& run);
/// The same as JSON, with every rank and communicator.
nlohmann::ordered_json head_json(const InfoRequest& request, const trace::Run& run);

} // namespace timeless::tools
