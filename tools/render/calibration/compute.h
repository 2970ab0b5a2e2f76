#pragma once

#include "analysis/calibration/compute/rates.h"
#include "tools/symbols/kernel_places.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace timeless::tools {

/// What `timeless calibrate compute` has found (schema timeless.calibrate-compute/1).
struct ComputeAnswer {
  std::string trace;
  std::string file; ///< that was written
  std::string unit; ///< of volumes
  const analysis::ComputeSpeeds& speeds;
  const analysis::WholeRate& whole;
  std::vector<std::string> kernels; ///< where each goes from and to, by KernelId
  std::size_t top = 10;             ///< kernels to list
  std::size_t ranks_per_node = 0;
  std::size_t walltime_launches = 0;
  std::size_t cputime_launches = 0;
  std::vector<std::string> not_reached;
  bool one_rate = false; ///< only that was written
};

nlohmann::ordered_json to_json(const ComputeAnswer& answer);
std::string to_text(const ComputeAnswer& answer);

} // namespace timeless::tools
