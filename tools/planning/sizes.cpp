#include "tools/planning/sizes.h"

#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace timeless::tools {

namespace {

/// Reads a positive decimal number and what follows it.
std::optional<std::pair<double, std::string_view>> split_number(std::string_view text) {
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (failed != std::errc{} || !(number >= 0)) return std::nullopt;
  return std::pair(number, text.substr(static_cast<std::size_t>(end - text.data())));
}

std::optional<double> unit_of(std::string_view suffix) {
  static constexpr std::array<std::pair<std::string_view, double>, 20> units{{
      {"", 1},         {"B", 1},      {"K", 0x1p10}, {"k", 0x1p10},   {"KiB", 0x1p10}, {"M", 0x1p20}, {"m", 0x1p20},
      {"MiB", 0x1p20}, {"G", 0x1p30}, {"g", 0x1p30}, {"GiB", 0x1p30}, {"T", 0x1p40},   {"t", 0x1p40}, {"TiB", 0x1p40},
      {"kB", 1e3},     {"KB", 1e3},   {"MB", 1e6},   {"GB", 1e9},     {"TB", 1e12},    {"b", 1},
  }};
  for (const auto& [name, bytes] : units)
    if (name == suffix) return bytes;
  return std::nullopt;
}

} // namespace

std::optional<std::uint64_t> parse_size(std::string_view text) {
  const auto number = split_number(text);
  if (!number) return std::nullopt;
  const auto unit = unit_of(number->second);
  if (!unit) return std::nullopt;
  const double bytes = number->first * *unit;
  if (bytes < 1 || bytes > 0x1p60) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

std::optional<Reserve> parse_reserve(std::string_view text) {
  if (const auto number = split_number(text); number && number->second == "%")
    return number->first < 100 ? std::optional(Reserve{.share = number->first / 100, .bytes = 0}) : std::nullopt;
  if (text == "0") return Reserve{.share = 0, .bytes = 0};
  if (const auto bytes = parse_size(text)) return Reserve{.share = 0, .bytes = *bytes};
  return std::nullopt;
}

} // namespace timeless::tools
