#include "analysis/calibration/network/intervals.h"

#include <algorithm>
#include <map>

namespace timeless::analysis {

namespace {

constexpr std::size_t enough_launches = 3;
constexpr std::size_t enough_points = 3;

/// Parts of the points that launches do not make.
std::vector<std::vector<Point>> parts_within(std::span<const LaunchPoint> points) {
  constexpr std::size_t most_parts = 5;
  std::vector<std::vector<Point>> parts;
  if (points.size() >= 2 * enough_points) {
    parts.resize(std::min(most_parts, points.size() / enough_points));
    for (std::size_t place = 0; place < points.size(); ++place)
      parts[place % parts.size()].push_back(points[place].point);
    return parts;
  }
  for (std::size_t without = 0; without < points.size(); ++without) {
    std::vector<Point> part;
    for (std::size_t place = 0; place < points.size(); ++place)
      if (place != without || points.size() == 1) part.push_back(points[place].point);
    parts.push_back(std::move(part));
  }
  return parts;
}

} // namespace

const char* name(Over over) {
  return over == Over::launches ? "launches" : "repetitions";
}

PartLines part_lines(std::span<const LaunchPoint> points, const Line& whole) {
  std::map<std::size_t, std::vector<Point>> by_launch;
  RelativeFit fit;
  for (const LaunchPoint& one : points) {
    by_launch[one.launch].push_back(one.point);
    fit.add(one.point);
  }
  std::erase_if(by_launch, [](const auto& one) { return one.second.size() < enough_points; });
  PartLines all;
  if (whole.intercept == 0) all.most_intercept = fit.most_intercept();
  if (whole.slope == 0) all.most_slope = fit.most_slope();
  if (by_launch.size() < enough_launches) {
    all.over = Over::repetitions;
    for (const std::vector<Point>& part : parts_within(points))
      all.lines.push_back(robust_line(part));
    if (by_launch.size() < 2) return all; // one launch is no part of itself
  }
  for (const auto& [launch, part] : by_launch)
    all.lines.push_back(robust_line(part));
  return all;
}

FitInterval interval_of(double number, std::span<const double> of_parts, Over over) {
  FitInterval found{.range = {number, number}, .over = over, .parts = of_parts.size()};
  if (of_parts.empty()) return found;
  const Interval parts = median_interval(of_parts);
  found.range = {std::min(number, parts.low), std::max(number, parts.high)};
  return found;
}

std::pair<FitInterval, FitInterval> intervals_of(const Line& line, const PartLines& parts) {
  std::vector<double> intercepts;
  std::vector<double> slopes;
  for (const Line& one : parts.lines) {
    intercepts.push_back(one.intercept);
    slopes.push_back(one.slope);
  }
  FitInterval intercept = interval_of(line.intercept, intercepts, parts.over);
  FitInterval slope = interval_of(line.slope, slopes, parts.over);
  if (parts.most_intercept) intercept.range.high = std::max(intercept.range.high, parts.most_intercept->intercept);
  if (parts.most_slope) slope.range.high = std::max(slope.range.high, parts.most_slope->slope);
  return {intercept, slope};
}

FitInterval interval_of_median(std::span<const LaunchValue> values) {
  std::map<std::size_t, std::vector<double>> by_launch;
  std::vector<double> all;
  for (const LaunchValue& one : values) {
    by_launch[one.launch].push_back(one.value);
    all.push_back(one.value);
  }
  const double number = median(all);
  std::vector<double> medians;
  for (const auto& [launch, own] : by_launch)
    medians.push_back(median(own));
  if (by_launch.size() >= enough_launches) return interval_of(number, medians, Over::launches);
  FitInterval found = interval_of(number, all, Over::repetitions);
  const auto [low, high] = std::ranges::minmax(medians);
  found.range = {std::min(found.range.low, low), std::max(found.range.high, high)};
  return found;
}

} // namespace timeless::analysis
