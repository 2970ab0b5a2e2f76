#include "base/units.h"

#include <algorithm>
#include <array>
#include <charconv>
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

struct Unit {
  std::string_view name;
  double size;
};

std::optional<double> quantity(std::string_view text, std::span<const Unit> units) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  const auto known = std::ranges::find(units, unit, &Unit::name);
  if (error != std::errc{} || known == units.end() || !std::isfinite(value * known->size) || value < 0) return {};
  return value * known->size;
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

std::string whole_bytes(std::uint64_t bytes) {
  static constexpr std::array units{" B", " KiB", " MiB", " GiB"};
  std::size_t unit = 0;
  for (; unit + 1 < units.size() && bytes >= 1024 && bytes % 1024 == 0; ++unit)
    bytes /= 1024;
  return std::to_string(bytes) + units[unit];
}

std::string human_seconds(double seconds) {
  const double size = std::abs(seconds);
  if (size == 0) return "0 s";
  if (size < 1e-6) return printed("%.3f%s", seconds * 1e9, " ns");
  if (size < 1e-3) return printed("%.3f%s", seconds * 1e6, " us");
  if (size < 1) return printed("%.3f%s", seconds * 1e3, " ms");
  return printed("%.3f%s", seconds, " s");
}

std::optional<double> seconds_in(std::string_view text) {
  static constexpr std::array units{Unit{"s", 1}, Unit{"ms", 1e-3}, Unit{"us", 1e-6}, Unit{"ns", 1e-9}};
  return quantity(text, units);
}

std::optional<double> rate_in(std::string_view text) {
  static constexpr std::array units{Unit{"B/s", 1}, Unit{"kB/s", 1e3}, Unit{"MB/s", 1e6}, Unit{"GB/s", 1e9},
                                    Unit{"TB/s", 1e12}};
  return quantity(text, units);
}

} // namespace timeless
