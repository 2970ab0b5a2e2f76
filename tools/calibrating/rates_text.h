#pragma once

#include "analysis/calibration/compute/rates.h"
#include "tools/calibrating/noise.h"
#include "trace/model/run.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

/// All that a file of rates says of one calibrated instance of a program.
struct CalibratedInstance {
  std::string name;
  const trace::Run& volumes;
  const trace::Run& launched; ///< the first launch
  const analysis::ComputeSpeeds& speeds;
  const analysis::WholeRate& whole;
  std::vector<std::string> places; ///< by KernelId, see symbols::place_labels
  std::size_t walltime_launches = 0;
  std::size_t cputime_launches = 0;
  std::optional<Noise> noise = {};      ///< before anything was launched
  std::vector<std::string> not_reached; ///< sentences
};

/// Returns whether a file of rates has an instance of this name, whose place another takes. Throws Error(invalid_input)
/// where nothing can be added: rates that are not of kernels; Error(usage) where that instance is of another program,
/// or the volumes of another counter.
bool demand_addable(const std::filesystem::path& file, const std::string& name, const trace::Run& volumes);

/// Returns a file of rates (timeless.rates/1) with this instance: by itself, or in addition to those of the file
/// `before`, in the place of one of the same name. Throws as demand_addable() does.
nlohmann::ordered_json rates_file(const CalibratedInstance& instance,
                                  const std::optional<std::filesystem::path>& before);

/// How the source of one rate for everything begins.
inline constexpr const char* whole_rate_source = "timeless calibrate compute --whole";

/// Returns one rate for everything, as WholeRate says it.
nlohmann::ordered_json whole_rate_file(const CalibratedInstance& instance);

} // namespace timeless::tools
