#include "microkernels/cases.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace timeless::microkernels {

std::size_t Case::sweeps() const {
  return std::max<std::size_t>(kernel->elements_per_visit / std::max<std::size_t>(elements(), 1), 1);
}

namespace {

struct Size {
  std::size_t bytes;
  bool of_all; ///< or of those kernels alone that are measured finely
};

constexpr std::array<Size, 14> sizes = {{{12'000, true},
                                         {100'000, true},
                                         {200'000, false},
                                         {400'000, true},
                                         {800'000, false},
                                         {1'500'000, true},
                                         {3'000'000, false},
                                         {6'000'000, true},
                                         {8'500'000, false},
                                         {12'000'000, false},
                                         {17'000'000, false},
                                         {24'000'000, true},
                                         {34'000'000, false},
                                         {60'000'000, true}}};

} // namespace

void shuffle(std::vector<Case>& all, Random& random) {
  for (std::size_t left = all.size(); left > 1; --left)
    std::swap(all[left - 1], all[random.below(left)]);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto kernels : {computing_kernels(), fetching_kernels()})
    for (const Kernel& kernel : kernels)
      for (const auto& [bytes, of_all] : sizes)
        if ((of_all || kernel.finely) && bytes >= kernel.least_bytes && bytes <= kernel.most_bytes)
          all.push_back({&kernel, bytes});
  Random random(1);
  shuffle(all, random);
  std::set<const Kernel*> seen;
  const auto others = std::ranges::stable_partition(
      all, [&](const Case& one) { return seen.insert(one.kernel).second || one.kernel->alone; });
  std::ranges::stable_partition(others, [](const Case& one) { return one.kernel->finely; });
  return all;
}

} // namespace timeless::microkernels
