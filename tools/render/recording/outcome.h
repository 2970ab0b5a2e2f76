#pragma once

#include "tools/recording/outcome.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace timeless::tools {

/// What a recording left, and how its command ended (schema timeless.record/1).
struct RecordAnswer {
  std::string directory;
  int status = 0; ///< as a shell tells it
  const Outcome& outcome;
};

nlohmann::ordered_json to_json(const RecordAnswer& answer);

/// Returns one line without its end: "recorded 8 of 8 ranks: 1.23 M actions, 4.5 MiB, counter icount (exact
/// instructions)".
std::string to_text(const Outcome& outcome);
/// Returns what is wrong with the recording, a line each; none if it is whole.
std::vector<std::string> complaints(const Outcome& outcome);

} // namespace timeless::tools
