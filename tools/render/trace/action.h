#pragma once

#include "trace/model/action_block.h"
#include "trace/model/run.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>

namespace timeless::tools {

/// One action of a rank (schema timeless.dump/2).
struct ActionAnswer {
  const trace::Run& run;
  trace::Rank rank = 0;
  std::uint64_t ordinal = 0; ///< among the rank's actions, from 0
  const trace::Action& action;
  std::uint64_t volume = 0;
  const trace::ActionTimes* times = nullptr; ///< null when not asked for, or not known
};

nlohmann::ordered_json to_json(const ActionAnswer& answer);
/// Returns a line.
std::string to_text(const ActionAnswer& answer);

/// Returns the head of the table that has a row for each action.
std::string action_csv_head();
std::string to_csv(const ActionAnswer& answer);

} // namespace timeless::tools
