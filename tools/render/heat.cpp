#include "tools/render/heat.h"

#include "base/escaping.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace timeless::tools {

namespace {

constexpr std::size_t shades = 5;
constexpr std::array<const char*, shades> unicode_shades{" ", "░", "▒", "▓", "█"};
constexpr std::array<const char*, shades> ascii_shades{" ", ".", "+", "#", "@"};
// Background colours of the 256-colour palette, from light to dark, with a foreground that can be read on each.
constexpr std::array<std::pair<int, int>, shades> colours{{{230, 16}, {223, 16}, {215, 16}, {166, 231}, {88, 231}}};

/// Shades by the logarithm.
class Scale {
public:
  explicit Scale(const std::vector<std::optional<double>>& values) {
    for (const std::optional<double>& value : values) {
      if (!value || !(*value > 0)) continue;
      least_ = std::min(least_, std::log(*value));
      most_ = std::max(most_, std::log(*value));
    }
  }

  std::size_t shade(double value) const {
    if (!(most_ > least_) || !(value > 0)) return 0;
    const double place = (std::log(value) - least_) / (most_ - least_);
    return std::min(static_cast<std::size_t>(place * shades), shades - 1);
  }

private:
  double least_ = std::numeric_limits<double>::infinity();
  double most_ = -std::numeric_limits<double>::infinity();
};

std::string cell(const std::optional<double>& value, const Scale& scale, const TextStyle& style, std::size_t width) {
  if (!value) return fmt::format("{:>{}}", "-", width);
  const std::size_t shade = scale.shade(*value);
  const char* mark = style.unicode ? unicode_shades[shade] : ascii_shades[shade];
  const std::string text = width > 1 ? fmt::format("{:>{}.2f}{}", *value, width - 1, mark) : std::string(mark);
  if (!style.colour) return text;
  return fmt::format("\033[48;5;{};38;5;{}m{}\033[0m", colours[shade].first, colours[shade].second, text);
}

std::size_t longest(const std::vector<std::string>& words) {
  std::size_t most = 0;
  for (const std::string& word : words)
    most = std::max(most, word.size());
  return most;
}

} // namespace

std::string heat_text(const HeatMap& map, const TextStyle& style, std::size_t width) {
  const std::size_t margin = std::max(longest(map.rows) + map.rows_name.size() + 1, map.columns_name.size()) + 3;
  const std::size_t wide = std::max<std::size_t>(longest(map.columns) + 2, 6);
  const bool figures = margin + wide * map.columns.size() <= width;
  const Scale scale(map.values);
  std::string text = fmt::format("{:>{}}", map.columns_name, margin - 1);
  if (figures)
    for (const std::string& column : map.columns)
      text += fmt::format("{:>{}} ", column, wide - 1);
  else
    text += fmt::format(" {} to {}", map.columns.front(), map.columns.back());
  text.erase(text.find_last_not_of(' ') + 1);
  text += "\n";
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    const std::string name = map.rows_name.empty() ? map.rows[row] : map.rows_name + " " + map.rows[row];
    std::string line = fmt::format("{:>{}} ", escaped(name), margin - 2);
    for (std::size_t column = 0; column < map.columns.size(); ++column)
      line += cell(map.values.at(row * map.columns.size() + column), scale, style, figures ? wide : 1);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

} // namespace timeless::tools
