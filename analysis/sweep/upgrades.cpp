#include "analysis/sweep/upgrades.h"

#include <algorithm>

namespace timeless::analysis {

std::optional<double> price_per_percent(const PricedTime& upgrade, double before) {
  const double percents = before > 0 ? 100 * (before - upgrade.makespan) / before : 0;
  if (!(percents > 0)) return std::nullopt;
  return upgrade.price / percents;
}

bool beats(const PricedTime& one, const PricedTime& other) {
  return one.price <= other.price && one.makespan <= other.makespan &&
         (one.price < other.price || one.makespan < other.makespan);
}

std::vector<bool> pareto_front(std::span<const PricedTime> upgrades, double before) {
  std::vector<bool> front;
  for (const PricedTime& upgrade : upgrades)
    front.push_back(upgrade.makespan < before &&
                    std::ranges::none_of(upgrades, [&](const PricedTime& one) { return beats(one, upgrade); }));
  return front;
}

} // namespace timeless::analysis
