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

/// Some columns of a map, as lines.
class Block {
public:
  Block(const HeatMap& map, const TextStyle& style, std::size_t width)
      : map_(map), style_(style), scale_(map.values),
        margin_(std::max(longest(map.rows) + map.rows_name.size() + 1, map.columns_name.size()) + 3),
        wide_(std::max<std::size_t>(longest(map.columns) + 2, 6)),
        figures_(margin_ + wide_ * map.columns.size() <= width) {}

  /// Returns how many columns fit.
  std::size_t columns(std::size_t width) const {
    return figures_ ? map_.columns.size() : std::max<std::size_t>(width, margin_ + 1) - margin_;
  }

  std::string text(std::size_t first, std::size_t last) const {
    std::string text = in_line(head(first, last));
    for (std::size_t row = 0; row < map_.rows.size(); ++row) {
      const std::string name = map_.rows_name.empty() ? map_.rows[row] : map_.rows_name + " " + map_.rows[row];
      std::string line = fmt::format("{:>{}} ", escaped(name), margin_ - 2);
      for (std::size_t column = first; column < last; ++column)
        line += cell(map_.values.at(row * map_.columns.size() + column), scale_, style_, figures_ ? wide_ : 1);
      text += in_line(std::move(line));
    }
    return text;
  }

private:
  static std::string in_line(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  }

  std::string head(std::size_t first, std::size_t last) const {
    std::string line = fmt::format("{:>{}}", map_.columns_name, margin_ - 1);
    if (!figures_ && last - first > 1)
      return line + fmt::format(" {} to {}", map_.columns[first], map_.columns[last - 1]);
    if (!figures_) return line + " " + map_.columns[first];
    for (std::size_t column = first; column < last; ++column)
      line += fmt::format("{:>{}} ", map_.columns[column], wide_ - 1);
    return line;
  }

  const HeatMap& map_;
  const TextStyle& style_;
  Scale scale_;
  std::size_t margin_; ///< of the rows' names
  std::size_t wide_;   ///< of a column with figures
  bool figures_;
};

} // namespace

std::string heat_text(const HeatMap& map, const TextStyle& style, std::size_t width) {
  const Block block(map, style, width);
  const std::size_t at_once = block.columns(width);
  std::string text;
  for (std::size_t first = 0; first < map.columns.size(); first += at_once)
    text += block.text(first, std::min(first + at_once, map.columns.size()));
  return text;
}

} // namespace timeless::tools
