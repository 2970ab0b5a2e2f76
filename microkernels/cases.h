#pragma once

#include "microkernels/kernel.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace timeless::microkernels {

/// A kernel at a size.
struct Case {
  const Kernel* kernel = nullptr;
  std::size_t bytes = 0; ///< of its arrays together, about

  std::size_t elements() const { return bytes / kernel->bytes_per_element; }
  /// Returns how many times a visit goes over the arrays, so that it takes about a millisecond.
  std::size_t sweeps() const;
};

/// Returns all cases that are measured, in random order but for what comes first, so that counting or timing may be
/// ended early: a size of each kernel, and those that tell what lines cost at sizes far apart, some of which lie beyond
/// each cache; then those that tell where a cache ends. The order is always the same. None of
/// the sizes is a power of two.
std::vector<Case> cases();

/// Puts them in an order by chance.
void shuffle(std::vector<Case>& all, Random& random);

/// What the largest needs.
inline constexpr std::size_t arena_bytes = 72'000'000;

} // namespace timeless::microkernels
