#include "tools/render/figures.h"

#include "base/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace timeless::tools {

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
  return interval ? human_seconds(interval->low) + " to " + human_seconds(interval->high) : without;
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
