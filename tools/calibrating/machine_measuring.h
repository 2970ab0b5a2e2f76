#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Runs the micro-kernels that come with Timeless: under icount to count what they do, natively to time them.
namespace timeless::tools {

struct MeasuringPlan {
  double budget = 40;     ///< seconds of timing; each micro-kernel is timed once at least
  std::uint64_t seed = 1; ///< of the order
  std::vector<int> processors = {};
};

/// Measures all there is; returns it as the raw file has it (docs/calibration.md). `tell` is told what happens next.
/// Throws Error(missing_capability) where the icount tool or the micro-kernels are not installed, Error(runtime) when
/// either fails.
std::string measure_machine(const MeasuringPlan& plan, const std::function<void(std::string_view)>& tell);

} // namespace timeless::tools
