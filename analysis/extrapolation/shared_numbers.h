#pragma once

#include "analysis/scaling/run_figures.h"
#include "trace/model/run.h"

#include <map>
#include <string>
#include <vector>

namespace timeless::analysis {

/// Numbers kernels and regions as the largest run does; those it lacks get numbers beyond.
class SharedNumbers {
public:
  explicit SharedNumbers(const trace::Run& largest);

  /// Returns the number of each kernel of a run.
  std::vector<trace::KernelId> kernels(const trace::Run& run);
  /// Returns the same of regions.
  std::vector<trace::RegionId> regions(const trace::Run& run);

private:
  trace::KernelId fresh_ = 0; ///< beyond all numbers given
  std::map<KernelKey, trace::KernelId> kernels_;
  std::map<std::string, trace::RegionId> regions_;
};

} // namespace timeless::analysis
