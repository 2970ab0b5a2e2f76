#pragma once

#include "analysis/calibration/network/samples.h"
#include "tools/calibrating/machine_raw.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace timeless::tools {

/// Measurements of one kind and of nearly one size.
struct MeasuredClass {
  std::string what;       ///< "round_trip", or a micro-kernel
  std::string where;      ///< "between nodes", or "alone"
  std::uint64_t from = 0; ///< bytes
  std::uint64_t to = 0;
  std::vector<double> seconds;
};

/// Measurements to which nothing can be fitted.
struct UnfittedAnswer {
  std::string file;
  std::string reason;
  std::vector<MeasuredClass> measured;
};

/// Returns the measurements of a network, a class of sizes for each factor of four.
std::vector<MeasuredClass> measured_classes(const ping::Raw& raw);
/// Returns those of a machine, those that were not counted too.
std::vector<MeasuredClass> measured_classes(const MachineRaw& raw);

nlohmann::ordered_json to_json(const UnfittedAnswer& answer);
std::string to_text(const UnfittedAnswer& answer);

} // namespace timeless::tools
