#pragma once

#include <cstdint>
#include <vector>

/// How long the cases take, natively.
namespace timeless::microkernels {

/// What is measured, where and for how long.
struct MeasuringRequest {
  double seconds = 40; ///< to stop after, when every case has been measured once
  std::uint64_t seed = 1;
  std::vector<int> processors; ///< to measure on; the first of them also while the others do nothing
};

/// Writes lines to stdout: "time,KERNEL,BYTES,SWEEPS,PROCESSORS,REPETITION,START,SECONDS": CPU seconds of so many
/// sweeps, on as many processors at once; `START` is seconds since the measurements began. The order of the cases is
/// drawn anew for each repetition. Throws Error(runtime) when a processor's process ends early.
void measure_cases(const MeasuringRequest& request);

} // namespace timeless::microkernels
