#include "tools/render/figures.h"

#include "base/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace timeless::tools {

namespace {

/// Returns what one in the last of so many significant digits is worth.
double last_digit(double value, int digits) {
  return std::pow(10, std::floor(std::log10(value)) + 1 - digits);
}

} // namespace

std::string percent_text(double share) {
  return fmt::format("{:.1f}", 100 * share);
}

std::string percent_text(const std::optional<double>& share) {
  return share ? percent_text(*share) : "-";
}

std::string percent_text(double part, double whole) {
  return fmt::format("{:.1f}", whole > 0 ? 100 * part / whole : 0);
}

std::string bytes_text(std::uint64_t bytes) {
  return human_bytes(static_cast<double>(bytes));
}

std::string count_text(std::uint64_t count) {
  return human_count(static_cast<double>(count));
}

const char* plural(std::uint64_t count) {
  return count == 1 ? "" : "s";
}

std::string seconds_interval_text(const std::optional<analysis::Interval>& interval, const char* without) {
  if (!interval) return without;
  std::string low = human_seconds(interval->low);
  std::string high = human_seconds(interval->high);
  for (int digits = 6; low == high && interval->low < interval->high && digits <= 17; ++digits) {
    low = fmt::format("{:.{}g} s", interval->low, digits);
    high = fmt::format("{:.{}g} s", interval->high, digits);
  }
  return low + " to " + high;
}

std::string rounded_up_text(double value, int digits) {
  const std::string nearest = fmt::format("{:.{}g}", value, digits);
  return std::stod(nearest) >= value ? nearest : fmt::format("{:.{}g}", value + last_digit(value, digits), digits);
}

std::string rounded_down_text(double value, int digits) {
  const std::string nearest = fmt::format("{:.{}g}", value, digits);
  return std::stod(nearest) <= value ? nearest : fmt::format("{:.{}g}", value - last_digit(value, digits), digits);
}

std::string difference_text(double first, double second) {
  const double longer = second - first;
  return (longer < 0 ? "-" : "+") + human_seconds(std::abs(longer));
}

std::string change_text(double first, double second) {
  if (!(first > 0)) return "";
  const std::string text = fmt::format("{:+.1f}", 100 * (second - first) / first);
  return text == "-0.0" ? "+0.0" : text;
}

nlohmann::ordered_json known(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

nlohmann::ordered_json to_json(const analysis::Spread& spread) {
  return {{"least", spread.least}, {"mean", spread.mean}, {"most", spread.most}};
}

} // namespace timeless::tools
