#include "base/units.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <span>

namespace timeless {

namespace {

std::string printed(const char* format, double value, const char* unit) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value, unit);
  return text.data();
}

/// Scales a value into the largest unit it reaches.
std::string scaled(double value, double step, std::span<const char* const> units) {
  std::size_t unit = 0;
  while (unit + 1 < units.size() && std::abs(value) >= step) {
    value /= step;
    ++unit;
  }
  const double size = std::abs(value);
  // Beyond what the units are for: a fraction of the smallest is not 0, and of the largest a number has few digits.
  if ((size > 0 && size < 1) || size >= 1e6) return printed("%.3g%s", value, units[unit]);
  return unit == 0 ? printed("%.0f%s", value, units[0]) : printed("%.2f%s", value, units[unit]);
}

} // namespace

std::string human_count(double count) {
  static constexpr std::array units{"", " k", " M", " G", " T", " P"};
  return scaled(count, 1000, units);
}

std::string human_bytes(double bytes) {
  static constexpr std::array units{" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
  return scaled(bytes, 1024, units);
}

std::string human_seconds(double seconds) {
  const double size = std::abs(seconds);
  if (size == 0) return "0 s";
  if (size < 1e-6) return printed("%.3f%s", seconds * 1e9, " ns");
  if (size < 1e-3) return printed("%.3f%s", seconds * 1e6, " us");
  if (size < 1) return printed("%.3f%s", seconds * 1e3, " ms");
  return printed("%.3f%s", seconds, " s");
}

} // namespace timeless
