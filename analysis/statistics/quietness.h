#pragma once

#include <span>
#include <string>
#include <string_view>

namespace timeless::analysis {

/// How the times of a loop of fixed work vary on a machine.
struct Quietness {
  double spread = 0; ///< the quartiles' distance over the median
  double worst = 0;  ///< by how much one in twenty takes longer than the median, over that

  /// Returns true where rates can be known well. A rate is a median over visits and launches: where repetitions of the
  /// same work spread by 5 % it takes hundreds of visits to know it to 1 %, and predictions within 5 % are not to be
  /// had.
  bool quiet() const { return spread < 0.05 && worst < 0.25; }
};

/// Throws Error(usage) without values.
Quietness quietness(std::span<const double> seconds);

/// Returns a sentence where the loop, of 1 ms, says that the host was too noisy to be `purpose`; else nothing.
std::string too_noisy(const Quietness& loop, std::string_view host, std::string_view purpose = "calibrated");

} // namespace timeless::analysis
