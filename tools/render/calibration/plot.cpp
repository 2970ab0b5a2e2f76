#include "tools/render/calibration/plot.h"

#include "base/units.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace timeless::tools {

namespace {

constexpr std::size_t plot_columns = 64;
constexpr std::size_t plot_rows = 16;

/// Places on an axis from one value to another, by their logarithms.
struct Axis {
  double low;
  double high;
  std::size_t places;

  std::size_t place(double value) const {
    if (high <= low) return 0;
    const double share = std::log(value / low) / std::log(high / low);
    return static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(places - 1)));
  }
  double value(std::size_t place) const {
    return low * std::pow(high / low, static_cast<double>(place) / static_cast<double>(places - 1));
  }
};

double bytes_of(const analysis::SizePoint& point) {
  return std::max(static_cast<double>(point.bytes), 1.0);
}

/// Of the curve itself.
std::vector<analysis::SizePoint> ends_of_pieces(const analysis::Curve& curve) {
  std::vector<analysis::SizePoint> ends;
  std::uint64_t from = curve.smallest;
  for (const analysis::CurvePiece& piece : curve.pieces) {
    for (const std::uint64_t bytes : {from, piece.up_to})
      if (const double seconds = curve(static_cast<double>(bytes)); seconds > 0 && std::isfinite(seconds))
        ends.push_back({.bytes = bytes, .seconds = seconds});
    from = piece.up_to + 1;
  }
  return ends;
}

} // namespace

std::string plot(std::span<const analysis::SizePoint> points, const analysis::Curve& curve) {
  std::vector<analysis::SizePoint> shown(points.begin(), points.end());
  std::erase_if(shown, [](const analysis::SizePoint& one) { return !(one.seconds > 0 && std::isfinite(one.seconds)); });
  if (!curve) return {};
  std::vector<analysis::SizePoint> ends = shown;
  if (shown.empty()) ends = ends_of_pieces(curve);
  if (ends.empty()) return {};
  const auto [least_size, most_size] = std::ranges::minmax(ends, {}, bytes_of);
  const auto [least_time, most_time] = std::ranges::minmax(ends, {}, &analysis::SizePoint::seconds);
  const Axis sizes{bytes_of(least_size), bytes_of(most_size), plot_columns};
  const Axis times{least_time.seconds, most_time.seconds, plot_rows};
  std::vector<std::string> lines(plot_rows, std::string(plot_columns, ' '));
  for (std::size_t column = 0; column < plot_columns; ++column) {
    const double seconds = curve(sizes.value(column));
    if (seconds > 0 && std::isfinite(seconds)) lines[times.place(seconds)][column] = '-';
  }
  for (const analysis::SizePoint& one : shown) {
    char& mark = lines[times.place(one.seconds)][sizes.place(bytes_of(one))];
    mark = mark == 'o' || mark == '#' ? '#' : 'o';
  }
  std::string text;
  for (std::size_t row = plot_rows; row-- > 0;) {
    const bool labelled = row % 5 == 0;
    text += fmt::format("{:>12} |{}\n", labelled ? human_seconds(times.value(row)) : "", lines[row]);
  }
  text += fmt::format("{:>12} +{}\n", "", std::string(plot_columns, '-'));
  const std::string from = fmt::format("{:.0f} bytes", sizes.low);
  const std::string to = fmt::format("{:.0f} bytes", sizes.high);
  return text + fmt::format("{:>14}{}{:>{}}\n", "", from, to, plot_columns - std::min(plot_columns - 1, from.size()));
}

} // namespace timeless::tools
