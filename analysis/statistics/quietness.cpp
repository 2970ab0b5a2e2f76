#include "analysis/statistics/quietness.h"

#include "analysis/statistics/quantiles.h"

namespace timeless::analysis {

Quietness quietness(std::span<const double> seconds) {
  const double typical = median(seconds);
  if (!(typical > 0)) return {};
  return {.spread = relative_spread(seconds), .worst = quantile(seconds, 0.95) / typical - 1};
}

} // namespace timeless::analysis
