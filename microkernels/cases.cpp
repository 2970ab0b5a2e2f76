#include "microkernels/cases.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

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

/// On a machine whose caches nobody knows, some of these lie beyond each and some within.
constexpr std::array<std::size_t, 5> far_apart = {60'000'000, 400'000, 6'000'000, 1'500'000, 100'000};

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
  // Which round a case is measured in: a size of each kernel, then the other sizes that lie far apart.
  std::set<const Kernel*> seen;
  const auto round_of = [&seen](const Case& one) {
    if (one.kernel->lines) return std::ranges::find(far_apart, one.bytes) - far_apart.begin();
    return seen.insert(one.kernel).second ? 0 : std::ssize(far_apart);
  };
  std::vector<std::pair<std::ptrdiff_t, Case>> placed;
  for (const Case& one : all)
    placed.emplace_back(round_of(one), one);
  std::ranges::stable_sort(placed, {}, [](const auto& one) {
    return std::pair(one.first, one.first == std::ssize(far_apart) && !one.second.kernel->finely);
  });
  std::ranges::transform(placed, all.begin(), [](const auto& one) { return one.second; });
  return all;
}

} // namespace timeless::microkernels
