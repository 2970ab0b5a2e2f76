#pragma once

#include <algorithm>

namespace timeless::ping {

/// Tells from readings of two clocks, one between two of the other, whether the first jumps. How long a rank does not
/// run between its readings makes no difference.
class ClockWatch {
public:
  /// Takes a reading. Returns by how many seconds the clock jumped since the one before; 0 where it went on as the
  /// other did, to 1 % and a millisecond.
  double jumped(double other_before, double clock, double other_after) {
    constexpr double uneven = 0.01;
    constexpr double besides = 1e-3;        // seconds
    const double low = clock - other_after; // how far it is ahead of the other
    const double high = clock - other_before;
    const double allowed = (other_after - other_) * uneven + besides;
    const double ahead = low - (high_ + allowed);
    const double behind = (low_ - allowed) - high;
    const bool first = !read_;
    const double by = low - high_ > 0 ? low - high_ : high - low_;
    read_ = true;
    low_ = low;
    high_ = high;
    other_ = other_before;
    return !first && std::max(ahead, behind) > 0 ? by : 0;
  }

private:
  bool read_ = false;
  double low_ = 0;
  double high_ = 0;
  double other_ = 0; ///< before the reading before
};

} // namespace timeless::ping
