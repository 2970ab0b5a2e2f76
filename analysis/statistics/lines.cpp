#include "analysis/statistics/lines.h"

#include "analysis/statistics/quantiles.h"
#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace timeless::analysis {

namespace {

// A quarter of a million slopes and more say the same.
constexpr std::size_t most_points = 1000;

std::vector<Point> thinned(std::span<const Point> points) {
  std::vector<Point> all(points.begin(), points.end());
  std::ranges::stable_sort(all, {}, &Point::x);
  if (all.size() <= most_points) return all;
  std::vector<Point> some;
  for (std::size_t index = 0; index < most_points; ++index)
    some.push_back(all[index * (all.size() - 1) / (most_points - 1)]);
  return some;
}

} // namespace

Line theil_sen(std::span<const Point> points) {
  const std::vector<Point> some = thinned(points);
  std::vector<double> slopes;
  for (std::size_t left = 0; left < some.size(); ++left)
    for (std::size_t right = left + 1; right < some.size(); ++right)
      if (some[right].x > some[left].x)
        slopes.push_back((some[right].y - some[left].y) / (some[right].x - some[left].x));
  if (slopes.empty()) throw Error(Failure::usage, "a line through points that all stand at one place");
  Line line{.slope = median(slopes)};
  std::vector<double> rests;
  for (const Point& point : points)
    rests.push_back(point.y - line.slope * point.x);
  line.intercept = median(rests);
  return line;
}

namespace {

/// The sums of least squares of weight * (intercept u + slope v - t).
struct WeightedSums {
  double uu = 0;
  double uv = 0;
  double vv = 0;
  double ut = 0;
  double vt = 0;

  /// Returns the line of both not below 0: the better boundary where the free minimum lies beyond one.
  Line line() const {
    const double determinant = uu * vv - uv * uv;
    if (determinant > 1e-12 * uu * vv) {
      const Line free{(vv * ut - uv * vt) / determinant, (uu * vt - uv * ut) / determinant};
      if (free.intercept >= 0 && free.slope >= 0) return free;
    }
    if (vv == 0 || ut * ut / uu >= vt * vt / vv) return {.intercept = ut / uu};
    return {.slope = vt / vv};
  }
};

} // namespace

Line robust_line(std::span<const Point> points) {
  if (points.empty()) throw Error(Failure::usage, "a line through no points");
  constexpr int most_rounds = 50;
  constexpr double least_deviation = 1e-6;
  constexpr double settled = 1e-12;
  RelativeFit begin;
  for (const Point& point : points)
    begin.add(point);
  Line line = begin.line();
  for (int round = 0; round < most_rounds; ++round) {
    WeightedSums sums;
    for (const Point& point : points) {
      const double fitted = line(point.x) > 0 ? line(point.x) : point.y;
      const double u = 1 / fitted;
      const double v = point.x / fitted;
      const double t = point.y / fitted;
      const double weight = 1 / std::max(std::abs(t - 1), least_deviation);
      sums.uu += weight * u * u;
      sums.uv += weight * u * v;
      sums.vv += weight * v * v;
      sums.ut += weight * u * t;
      sums.vt += weight * v * t;
    }
    const Line next = sums.line();
    const bool same = std::abs(next.intercept - line.intercept) <= settled * line.intercept &&
                      std::abs(next.slope - line.slope) <= settled * line.slope;
    line = next;
    if (same) break;
  }
  return line;
}

void RelativeFit::add(const Point& point) {
  const double u = 1 / point.y;
  const double v = point.x / point.y;
  points_ += 1;
  u_ += u;
  v_ += v;
  uu_ += u * u;
  uv_ += u * v;
  vv_ += v * v;
}

double RelativeFit::squares(const Line& line) const {
  const double a = line.intercept;
  const double b = line.slope;
  const double sum = a * a * uu_ + 2 * a * b * uv_ + b * b * vv_ - 2 * a * u_ - 2 * b * v_ + points_;
  return std::max(sum, 0.0);
}

namespace {

/// The largest value from `least` on of what rises from there.
double last_below(double most, double least, const auto& rising) {
  constexpr double far = 1e-30;
  double step = std::max(least, far);
  while (std::isfinite(step) && rising(least + step) <= most)
    step *= 2;
  double low = least;
  double high = least + step;
  for (int round = 0; round < 100 && std::isfinite(high); ++round) {
    const double middle = low + (high - low) / 2;
    (rising(middle) <= most ? low : high) = middle;
  }
  return low;
}

} // namespace

double RelativeFit::allowed() const {
  constexpr double exact = 1e-4; // no measurement of time is better
  constexpr double by_chance = 4;
  const double least = squares(line());
  const double residual = std::max(least / std::max(points_ - 2, 1.0), exact * exact);
  return least + by_chance * residual;
}

Line RelativeFit::most_intercept() const {
  const auto with = [&](double intercept) {
    return Line{intercept, vv_ == 0 ? 0 : std::max((v_ - intercept * uv_) / vv_, 0.0)};
  };
  return with(last_below(allowed(), line().intercept, [&](double one) { return squares(with(one)); }));
}

Line RelativeFit::most_slope() const {
  const auto with = [&](double slope) { return Line{std::max((u_ - slope * uv_) / uu_, 0.0), slope}; };
  if (vv_ == 0) return line(); // of messages without bytes
  return with(last_below(allowed(), line().slope, [&](double one) { return squares(with(one)); }));
}

Line RelativeFit::line() const {
  const double determinant = uu_ * vv_ - uv_ * uv_;
  // Points at one place have no slope.
  if (determinant > 1e-12 * uu_ * vv_) {
    const Line free{(vv_ * u_ - uv_ * v_) / determinant, (uu_ * v_ - uv_ * u_) / determinant};
    if (free.intercept >= 0 && free.slope >= 0) return free;
  }
  const Line level{.intercept = u_ / uu_};
  if (vv_ == 0) return level;
  const Line through_origin{.slope = v_ / vv_};
  return squares(level) <= squares(through_origin) ? level : through_origin;
}

} // namespace timeless::analysis
