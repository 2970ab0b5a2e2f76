#pragma once

namespace timeless::analysis {

/// Returns whether a clock that went on by so many seconds has jumped, where `elapsed` passed by another: it is ahead by
/// more than 1 %, as two clocks may go, and a tenth of a second. An infinite `elapsed`: nobody knows it, and none has.
inline bool jumped_ahead(double seconds, double elapsed) {
  constexpr double uneven = 0.01;
  constexpr double besides = 0.1; // seconds
  return seconds > elapsed * (1 + uneven) + besides;
}

} // namespace timeless::analysis
