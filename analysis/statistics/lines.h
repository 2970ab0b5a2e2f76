#pragma once

#include <span>

namespace timeless::analysis {

/// y = intercept + slope x.
struct Line {
  double intercept = 0;
  double slope = 0;
  double operator()(double x) const { return intercept + slope * x; }
  bool operator==(const Line&) const = default;
};

/// A measured value at a place.
struct Point {
  double x = 0;
  double y = 0;
};

/// Returns the line whose slope is the median of the slopes between any two points of different x, and whose intercept
/// is the median of y - slope x (Theil 1950, Sen 1968): up to 29 % of the points may be anything. Of more than a
/// thousand points, every so-many-th by rising x decides the slope. Throws Error(usage) without two points of different
/// x.
Line theil_sen(std::span<const Point> points);

/// Returns the line with intercept >= 0 and slope >= 0 that minimises the sum of |y / line(x) - 1|: the relative
/// median, of which half of the points may be anything. By least squares whose weights are taken from the fit before
/// (Schlossmacher: An iterative technique for absolute deviations curve fitting, 1973), from the line of RelativeFit
/// on. Points that lie on a line give that line. y > 0; throws Error(usage) without points.
Line robust_line(std::span<const Point> points);

/// The sums that a least-squares fit of relative residuals needs. Points are only ever added, so sums of any range of
/// points have no cancellation in them.
class RelativeFit {
public:
  /// Adds a point, with y > 0.
  void add(const Point& point);
  /// Returns the line with intercept >= 0 and slope >= 0 that minimises the sum of (line(x) / y - 1)^2. One of the two
  /// is 0 where the free minimum has it below 0 (Karush, Kuhn, Tucker: of two variables, the better boundary).
  Line line() const;
  /// Returns that sum for a line.
  double squares(const Line& line) const;
  /// Returns the line with the largest intercept, or slope, that the points allow beside line(): whose sum is larger by
  /// no more than four times the mean square of the residuals, or of 1e-4 where these are smaller (about what one
  /// parameter of the right line is off by once in twenty).
  Line most_intercept() const;
  Line most_slope() const;

private:
  double allowed() const;

  // With u = 1 / y and v = x / y:
  double points_ = 0;
  double u_ = 0;
  double v_ = 0;
  double uu_ = 0;
  double uv_ = 0;
  double vv_ = 0;
};

} // namespace timeless::analysis
