#pragma once

#include "tools/render/replay/confidence.h"
#include "tools/replaying/sweep/sweeping.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

/// Priced upgrades as sweeps and reports show them.
namespace timeless::tools {

/// Returns whether an upgrade is worth a look, and why, "no: 100G saves more and costs less". It has a `change`.
std::string look_words(const SweepPrediction& prediction, const ChangedMachine& one);
/// Returns what "worth a look" means, where so much is worth having.
std::string worth_a_look_words(double worth);
/// Returns the price of a per cent that an upgrade saves; nothing where it saves nothing.
std::optional<double> price_per_percent(const SweepPrediction& prediction, const ChangedMachine& one);

/// An upgrade as a row of a table.
struct UpgradeRow {
  const ChangedMachine* of = nullptr;
  double seconds = 0;
  std::string time;
  std::string price;
  std::string price_per_percent;
  std::string look;
  std::string confidence; ///< "low: 1, 2", by numbers of reasons
};
/// Returns a row for each upgrade, the fastest first. They are part of `prediction`.
std::vector<UpgradeRow> upgrade_rows(const SweepPrediction& prediction, NumberedReasons& reasons);

/// Returns the answer on a machine that was changed.
nlohmann::ordered_json changed_json(const SweepPrediction& prediction, const ChangedMachine& one);

} // namespace timeless::tools
