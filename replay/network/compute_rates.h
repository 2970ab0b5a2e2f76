#pragma once

#include "replay/network/measured_rates.h"
#include "trace/model/run.h"

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace timeless::replay {

/// How many units of a run's volumes (instructions, or other events) a processor does in a second, as a file says it
/// (docs/networks.md defines the format).
struct ComputeRates {
  std::filesystem::path file;
  std::string source;                            ///< where its figures come from
  std::optional<double> units_per_second = {};   ///< of hosts and kernels not named
  std::map<std::string, double> hosts = {};      ///< by name of the host
  std::map<std::string, double> kernels = {};    ///< by number, or by the places at both ends
  std::vector<double> launches = {};             ///< of one rate for everything that was measured: by each launch alone
  std::optional<MeasuredInstance> measured = {}; ///< when and where that one rate was
  std::vector<MeasuredInstance> instances = {};  ///< what calibrations measured, instead of `kernels`
};

/// Reads a file of rates. Throws Error(invalid_input) naming file, key, what is wrong and what to write.
ComputeRates read_rates(const std::filesystem::path& file);

/// Returns what the volumes of each kernel are multiplied by, so that they take their time at the rate of the rest: a
/// host's rate counts for kernels in proportion. Empty when no kernel is named.
///
/// A kernel is named by its number, or as "module+offset..module+offset", a module by its path or its file name, an
/// offset as a decimal or hexadecimal number; that names all kernels between the two places, whoever called. Throws
/// Error(invalid_input) for a name that is no kernel's.
std::vector<double> kernel_factors(const ComputeRates& rates, const trace::Run& run);

/// Returns the seconds that a unit takes on each of these nodes, by node: the rate of the host of that name, also given
/// by the part before the first dot, else units_per_second, else what `otherwise` says. Throws Error(invalid_input) for
/// hosts that are none of the nodes, and where a node gets no rate.
std::vector<double> seconds_per_unit(const ComputeRates& rates, std::span<const std::string> nodes,
                                     std::span<const double> otherwise);

} // namespace timeless::replay
