#pragma once

#include "replay/network/compute_costs.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// A machine's costs of computation, from micro-kernels: what each does is counted, how long it takes is measured.
namespace timeless::analysis {

/// A micro-kernel at a size.
struct KernelCase {
  std::string kernel;
  std::uint64_t bytes = 0; ///< of its arrays
  std::vector<double> events = {};
  std::vector<double> alone = {}; ///< seconds of a visit, in the order they were measured
  std::vector<double> busy = {};  ///< likewise, on all processors at once
};

/// How well a case is explained.
struct CaseError {
  std::string kernel;
  std::uint64_t bytes = 0;
  std::uint32_t processors = 1;
  double seconds = 0;  ///< median
  double spread = 0;   ///< quartiles' distance over the median
  double residual = 0; ///< predicted over measured, less 1
  double held_out = 0; ///< likewise, from the other kernels alone
};

/// The costs of computation on a machine, fitted to its micro-kernels, and how well they fit.
struct MachineFit {
  replay::MachineCosts machine;
  bool caches_given = false;
  replay::CacheSizes caches_low; ///< smallest and largest sizes that explain the times about as well
  replay::CacheSizes caches_high;
  replay::ComputeCosts alone_low = {}; ///< over the fits that leave one kernel out
  replay::ComputeCosts alone_high = {};
  replay::ComputeCosts busy_low = {};
  replay::ComputeCosts busy_high = {};
  std::vector<CaseError> errors;
  double median_residual = 0; ///< of the absolute residuals
  double median_held_out = 0;
  double worst_held_out = 0; ///< largest absolute
};

/// Fits costs by least squares of relative residuals, none below 0. Where `caches` are not given, those sizes are
/// taken, among half octaves, that explain the times best; how many processors share the last one is found likewise,
/// among the divisors of their number. Cases without times say what could have been measured. Throws
/// Error(invalid_input) naming the costs that the times do not tell, or where there are fewer times than costs.
MachineFit fit_machine(const std::vector<KernelCase>& cases, std::uint32_t processors,
                       const std::optional<replay::CacheSizes>& caches);

} // namespace timeless::analysis
