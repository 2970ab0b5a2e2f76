#pragma once

#include "analysis/statistics/quantiles.h"
#include "replay/result/result.h"
#include "tools/machines/machine_basis.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace timeless::tools {

/// What every answer says of one replay of a trace on one machine.
struct Replayed {
  const std::string& name;
  const MachineBasis& basis;
  double makespan = 0; ///< seconds
  replay::RankTimes mean;
  const replay::Diagnosis* deadlock = nullptr; ///< null when it ends
  std::optional<analysis::Interval> interval;  ///< of the makespan, seconds
  bool attributed = true;                      ///< somebody says where the time went
};
Replayed replayed(const replay::LaneResult& lane, const MachineBasis& basis,
                  std::optional<analysis::Interval> interval = {}, bool attributed = true);

/// Returns its name, makespan and mean rank, and what they rest on; of a deadlock the diagnosis.
nlohmann::ordered_json to_json(const Replayed& replayed);

} // namespace timeless::tools
