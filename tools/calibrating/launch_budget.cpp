#include "tools/calibrating/launch_budget.h"

#include <algorithm>
#include <cmath>

namespace timeless::tools {

LaunchBudget::LaunchBudget(double seconds, unsigned launches) : left_(launches), seconds_left_(seconds) {}

double LaunchBudget::next() const {
  if (left_ == 0) return 0;
  // Half of its part, while nobody knows what the others take to start.
  if (made_ == 0) return left_ == 1 ? seconds_left_ : seconds_left_ / left_ / 2;
  // Two thirds of the time at most go into starting, and no launch measures so little that nothing can be fitted.
  constexpr double least = 0.25; // seconds
  const double each = start_up_ + std::max(least, start_up_ / 2);
  const double launches = std::min<double>(left_, std::floor(seconds_left_ / each));
  return launches < 1 ? 0 : seconds_left_ / launches - start_up_;
}

void LaunchBudget::ended(double elapsed) {
  start_up_ = std::max(start_up_, elapsed - next());
  seconds_left_ -= elapsed;
  --left_;
  ++made_;
}

} // namespace timeless::tools
