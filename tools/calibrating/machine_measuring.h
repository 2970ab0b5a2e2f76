#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

/// Runs the micro-kernels that come with Timeless: under icount to count what they do, natively to time them.
namespace timeless::tools {

/// How micro-kernels are measured.
struct MeasuringPlan {
  double budget = 60;     ///< seconds for all; each micro-kernel is counted, and timed once at least
  std::uint64_t seed = 1; ///< of the order
  std::vector<int> processors = {};
  std::filesystem::path raw = {}; ///< where the measurements are kept
  bool force = false;             ///< replaces an existing file
};

/// Measures all there is, and keeps it line by line in a raw file (docs/calibration.md): whatever happens later, that
/// stays. `tell` is told what happens next, and where
/// the budget did not suffice. Throws Error(missing_capability) where
/// the icount tool or the micro-kernels are not installed, Error(usage) where the file exists, Error(runtime) where
/// either fails or is interrupted, or the file cannot be written. Where nothing was timed, no file is left.
void measure_machine(const MeasuringPlan& plan, const std::function<void(std::string_view)>& tell);

} // namespace timeless::tools
