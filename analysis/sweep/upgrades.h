#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace timeless::analysis {

/// Something to buy, and what the program would take with it.
struct PricedTime {
  double price = 0;    ///< in whatever currency, 0 or more
  double makespan = 0; ///< seconds; infinity where it does not end
};

/// Returns the price of one per cent of gain; nothing where nothing is gained.
std::optional<double> price_per_percent(const PricedTime& upgrade, double before);

/// Returns whether one is as fast and cheaper than the other, or as cheap and faster, or both.
bool beats(const PricedTime& one, const PricedTime& other);

/// Returns for each whether nothing else is as fast and cheaper, or as cheap and faster: the Pareto front. What takes
/// as long as `before` or longer is not on it: that is had for nothing.
std::vector<bool> pareto_front(std::span<const PricedTime> upgrades, double before);

} // namespace timeless::analysis
