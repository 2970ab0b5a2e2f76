#pragma once

#include <cstddef>
#include <cstdint>

namespace timeless::analysis {

/// A time measured at a size.
struct SizePoint {
  std::size_t launch = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
  double launch_factor = 1; ///< see set_launch_factors()

  /// Returns what the middle launch would take: launches that differ are no reason for a curve to jump between them.
  double of_middle_launch() const { return seconds / launch_factor; }
};

} // namespace timeless::analysis
