#pragma once

#include "analysis/calibration/compute/rates.h"
#include "tools/calibrating/noise.h"
#include "tools/symbols/kernel_places.h"

#include <nlohmann/json.hpp>

#include <optional>
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
  std::optional<Noise> noise = {};
  std::vector<std::string> not_reached;
  bool one_rate = false; ///< only that was written
};

nlohmann::ordered_json to_json(const ComputeAnswer& answer);
std::string to_text(const ComputeAnswer& answer);

/// The same of several inputs, one after the other; of one, it alone.
class ComputeAnswers {
public:
  void add(const ComputeAnswer& answer);

  friend nlohmann::ordered_json to_json(const ComputeAnswers& answers);
  friend std::string to_text(const ComputeAnswers& answers);

private:
  std::vector<nlohmann::ordered_json> json_;
  std::string text_;
};

} // namespace timeless::tools
