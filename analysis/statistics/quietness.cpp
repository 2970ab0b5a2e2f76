#include "analysis/statistics/quietness.h"

#include "analysis/statistics/quantiles.h"

#include <fmt/format.h>

namespace timeless::analysis {

Quietness quietness(std::span<const double> seconds) {
  const double typical = median(seconds);
  if (!(typical > 0)) return {};
  return {.spread = relative_spread(seconds), .worst = quantile(seconds, 0.95) / typical - 1};
}

std::string too_noisy(const Quietness& loop, std::string_view host, std::string_view purpose) {
  if (loop.quiet()) return {};
  return fmt::format("{} was too noisy to be {}: a loop of 1 ms varied by {:.1f} % (quartiles), and one in 20 "
                     "took {:.0f} % longer; `timeless doctor` says what to do",
                     host, purpose, 100 * loop.spread, 100 * loop.worst);
}

} // namespace timeless::analysis
