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

/// Returns all cases that are measured, kernel by kernel, smaller ones first. None of the sizes is a power of two.
std::vector<Case> cases();

/// What the largest needs.
inline constexpr std::size_t arena_bytes = 72'000'000;

} // namespace timeless::microkernels
