#include "microkernels/cases.h"

#include <algorithm>
#include <array>

namespace timeless::microkernels {

std::size_t Case::sweeps() const {
  return std::max<std::size_t>(kernel->elements_per_visit / std::max<std::size_t>(elements(), 1), 1);
}

std::vector<Case> cases() {
  constexpr std::array<std::size_t, 7> sizes = {12'000, 100'000, 400'000, 1'500'000, 6'000'000, 24'000'000, 60'000'000};
  std::vector<Case> all;
  for (const auto kernels : {computing_kernels(), fetching_kernels()})
    for (const Kernel& kernel : kernels)
      for (const std::size_t bytes : sizes)
        if (bytes >= kernel.least_bytes && bytes <= kernel.most_bytes) all.push_back({&kernel, bytes});
  return all;
}

} // namespace timeless::microkernels
