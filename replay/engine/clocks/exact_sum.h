#pragma once

#include <cmath>
#include <cstdint>

namespace timeless::replay {

/// A sum of doubles in which no addition rounds: a whole number of units of 2^-(60 + bits), so that n additions of a
/// number and one addition of n times that number are the same. `bits` places the window: values below 2^(62 - bits) in
/// size are held; what of them is smaller than a unit is cut off when they are added, each time alike.
template <int bits>
class ExactSum {
public:
  __extension__ using Integer = __int128;

  /// Returns true for what can be added.
  static bool holds(double value) { return std::abs(value) < std::ldexp(1.0, 62 - bits); }

  void add(double value) { units_ += units(value); }
  /// Adds so many times what another sum holds.
  void add(const ExactSum& other, std::uint64_t times) { units_ += other.units_ * static_cast<Integer>(times); }
  /// Takes another sum away.
  void subtract(const ExactSum& other) { units_ -= other.units_; }
  /// Returns the double nearest to the sum and this value.
  double plus(double value) const {
    if (units_ == 0) return value;
    return std::ldexp(static_cast<double>(units_ + units(value)), -60 - bits);
  }
  /// Returns the double nearest to what the sum has grown by since it was `before`.
  double since(const ExactSum& before) const {
    return std::ldexp(static_cast<double>(units_ - before.units_), -60 - bits);
  }
  bool operator==(const ExactSum&) const = default;

private:
  static Integer units(double value) {
    constexpr double window = static_cast<double>(std::int64_t{1} << bits);
    constexpr double rest = static_cast<double>(std::int64_t{1} << 60);
    const double scaled = value * window;
    const auto whole = static_cast<std::int64_t>(scaled);
    return static_cast<Integer>(whole) * (static_cast<Integer>(1) << 60) +
           static_cast<std::int64_t>((scaled - static_cast<double>(whole)) * rest);
  }

  Integer units_ = 0;
};

/// Seconds below 2^32, in units of 2^-90.
using ExactSeconds = ExactSum<30>;
/// Volumes and bytes below 2^62, in units of 2^-60.
using ExactAmount = ExactSum<0>;

} // namespace timeless::replay
