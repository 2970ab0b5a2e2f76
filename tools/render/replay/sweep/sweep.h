#pragma once

#include "tools/cli/text_style.h"
#include "tools/replaying/sweep/sweeping.h"
#include "trace/model/run.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>

namespace timeless::tools {

/// A sweep, and what it was asked of (schema timeless.sweep/1).
struct SweepAnswer {
  const SweepRequest& asked;
  const trace::Run& run;
  const SweepPrediction& prediction;
  std::size_t top = 20; ///< in the text, configurations of the table; 0: all
  TextStyle style = {};
};

nlohmann::ordered_json to_json(const SweepAnswer& answer);
std::string to_text(const SweepAnswer& answer);
/// Writes a row for each configuration.
std::string to_csv(const SweepAnswer& answer);

} // namespace timeless::tools
