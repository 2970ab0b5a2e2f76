#include "analysis/extrapolation/shared_numbers.h"

namespace timeless::analysis {

SharedNumbers::SharedNumbers(const trace::Run& largest) {
  (void)kernels(largest);
  (void)regions(largest);
}

std::vector<trace::KernelId> SharedNumbers::kernels(const trace::Run& run) {
  std::vector<trace::KernelId> numbers;
  for (const KernelKey& key : kernel_keys(run))
    numbers.push_back(kernels_.try_emplace(key, static_cast<trace::KernelId>(numbers.size() + fresh_)).first->second);
  fresh_ += static_cast<trace::KernelId>(numbers.size());
  return numbers;
}

std::vector<trace::RegionId> SharedNumbers::regions(const trace::Run& run) {
  std::vector<trace::RegionId> numbers;
  for (const std::string& name : run.regions)
    numbers.push_back(regions_.try_emplace(name, static_cast<trace::RegionId>(regions_.size())).first->second);
  return numbers;
}

} // namespace timeless::analysis
