#pragma once

#include "trace/model/run.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace timeless::tools {

/// What a trace says of its run, without its actions: program, counter, hosts, what was noted while recording.
struct RunHead {
  std::string trace;
  const trace::Run& run;
  std::vector<std::string> spawned_worlds; ///< directories
};

/// Returns the head, with every rank and communicator.
nlohmann::ordered_json to_json(const RunHead& head);
std::string to_text(const RunHead& head);

} // namespace timeless::tools
