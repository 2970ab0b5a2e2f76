#include "analysis/calibration/network/curve.h"

#include "analysis/statistics/quantiles.h"
#include "analysis/statistics/segments.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <tuple>

namespace timeless::analysis {

namespace {

constexpr std::size_t least_points = 6; // of a piece

Point point_of(const SizePoint& one) {
  return {.x = static_cast<double>(one.bytes), .y = one.of_middle_launch()};
}

std::vector<Point> points_of(std::span<const SizePoint> points) {
  std::vector<Point> all;
  for (const SizePoint& one : points)
    all.push_back(point_of(one));
  return all;
}

/// Sorted by size, without what lies far off its neighbours: off the median of as many smaller as larger ones, which
/// times that only grow with the size are not, up to the largest size.
std::vector<SizePoint> without_outliers(const std::vector<SizePoint>& sorted) {
  constexpr std::size_t reach = 4; // neighbours on either side
  constexpr double sigmas = 5;
  constexpr double sigma_of_mad = 1.4826; // of a normal distribution
  constexpr double always_fine = 0.02;
  std::vector<double> off;
  for (std::size_t place = 0; place < sorted.size(); ++place) {
    const std::size_t each = std::min({reach, place, sorted.size() - 1 - place});
    std::vector<double> near;
    for (std::size_t other = place - each; other <= place + each; ++other)
      near.push_back(sorted[other].of_middle_launch());
    off.push_back(std::abs(std::log(sorted[place].of_middle_launch() / median(near))));
  }
  const double most = std::max(always_fine, sigmas * sigma_of_mad * median(off));
  std::vector<SizePoint> kept;
  for (std::size_t place = 0; place < sorted.size(); ++place)
    if (off[place] <= most) kept.push_back(sorted[place]);
  return kept;
}

/// So few that the search for breaks takes no time: of neighbouring sizes, the one measured whose time is their median.
/// Sizes rise.
std::vector<Point> representatives(std::span<const SizePoint> sorted) {
  constexpr std::size_t most = 300;
  const std::size_t each = (sorted.size() + most - 1) / most;
  std::vector<Point> some;
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = std::min(begin + each, sorted.size());
    // All of one size stand for one.
    while (end < sorted.size() && sorted[end].bytes == sorted[end - 1].bytes)
      ++end;
    std::vector<Point> near = points_of(sorted.subspan(begin, end - begin));
    const auto middle = near.begin() + static_cast<std::ptrdiff_t>((near.size() - 1) / 2);
    std::ranges::nth_element(near, middle, {}, &Point::y);
    some.push_back(*middle);
    begin = end;
  }
  return some;
}

double deviation(const Line& line, const SizePoint& one) {
  return std::abs(line(static_cast<double>(one.bytes)) / one.of_middle_launch() - 1);
}

/// Where, of the points around a break, one line ends and the next begins: the first point of the next.
std::size_t exact_break(std::span<const SizePoint> sorted, std::size_t from, std::size_t to, const Line& left,
                        const Line& right) {
  double cost = 0;
  for (std::size_t place = from; place < to; ++place)
    cost += deviation(right, sorted[place]);
  double best_cost = cost;
  std::size_t best = from;
  for (std::size_t place = from; place < to; ++place) {
    cost += deviation(left, sorted[place]) - deviation(right, sorted[place]);
    const bool inside = place + 1 < sorted.size() && sorted[place + 1].bytes == sorted[place].bytes;
    if (cost < best_cost && !inside) {
      best_cost = cost;
      best = place + 1;
    }
  }
  return best;
}

/// The indices at which pieces begin, without 0.
std::vector<std::size_t> breaks_of(std::span<const SizePoint> sorted, double spread) {
  const std::vector<Point> some = representatives(sorted);
  if (some.size() < 2 * least_points) return {};
  const SegmentedLine fit = segmented_line(some, {.least_points = least_points, .spread = spread});
  std::vector<std::size_t> begins;
  const auto place_of = [&](double bytes) {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(sorted, bytes, {},
                                 [](const SizePoint& one) { return static_cast<double>(one.bytes); }) -
        sorted.begin());
  };
  for (std::size_t piece = 1; piece < fit.segments.size(); ++piece) {
    const LineSegment& left = fit.segments[piece - 1];
    const LineSegment& right = fit.segments[piece];
    const std::size_t from = place_of(left.to);
    begins.push_back(exact_break(sorted, from, place_of(right.from), left.line, right.line));
  }
  return begins;
}

CurvePiece piece_of(std::span<const SizePoint> points, std::uint64_t up_to) {
  CurvePiece piece{.up_to = up_to, .points = points.size(), .line = robust_line(points_of(points))};
  double squares = 0;
  std::vector<LaunchPoint> of_launches;
  for (const SizePoint& one : points) {
    const Point measured{.x = static_cast<double>(one.bytes), .y = one.seconds};
    squares += std::pow(piece.line(measured.x) / measured.y - 1, 2);
    of_launches.push_back({one.launch, measured});
  }
  piece.rms = std::sqrt(squares / static_cast<double>(points.size()));
  piece.parts = part_lines(of_launches, piece.line);
  std::tie(piece.intercept, piece.slope) = intervals_of(piece.line, piece.parts);
  return piece;
}

/// Adds the pieces of sorted points up to a size.
void add_pieces(Curve& curve, std::span<const SizePoint> part, std::uint64_t end_size, double spread) {
  std::vector<std::size_t> begins = breaks_of(part, spread);
  begins.push_back(part.size());
  std::size_t from = 0;
  for (const std::size_t next : begins) {
    if (next <= from) continue;
    // Between the last size of a piece and the first of the next one, nothing is known.
    const std::uint64_t up_to =
        next == part.size() ? end_size : part[next - 1].bytes + (part[next].bytes - part[next - 1].bytes) / 2;
    curve.pieces.push_back(piece_of(part.subspan(from, next - from), std::max(up_to, part[next - 1].bytes)));
    from = next;
  }
}

void add_errors(Curve& curve, std::span<const SizePoint> sorted) {
  std::vector<double> errors;
  double squares = 0;
  for (const SizePoint& one : sorted) {
    errors.push_back(std::abs(curve(static_cast<double>(one.bytes)) / one.seconds - 1));
    squares += errors.back() * errors.back();
  }
  curve.median_error = median(errors);
  curve.rms = std::sqrt(squares / static_cast<double>(errors.size()));
}

} // namespace

const CurvePiece& Curve::of(double bytes) const {
  for (const CurvePiece& piece : pieces)
    if (bytes <= static_cast<double>(piece.up_to)) return piece;
  return pieces.back();
}

Curve fit_curve(std::span<const SizePoint> points, double spread, std::span<const std::uint64_t> breaks) {
  std::vector<SizePoint> sorted;
  std::vector<SizePoint> nothing; // takes no time, as calls do that a simulator does not charge
  for (const SizePoint& one : points)
    (one.seconds > 0 ? sorted : nothing).push_back(one);
  std::ranges::stable_sort(sorted, {}, &SizePoint::bytes);
  Curve curve;
  if (sorted.size() < least_points) return curve;
  curve.launches = set_launch_factors(sorted);
  const std::size_t all = sorted.size();
  sorted = without_outliers(sorted);
  curve.outliers = all - sorted.size();
  if (sorted.size() < least_points) return {};
  curve.smallest = sorted.front().bytes;
  curve.largest = sorted.back().bytes;
  for (const SizePoint& one : nothing)
    curve.largest = std::max(curve.largest, one.bytes);
  std::vector<std::uint64_t> ends(breaks.begin(), breaks.end());
  ends.push_back(curve.largest);
  std::size_t begin = 0;
  for (const std::uint64_t end_size : ends) {
    std::size_t end = begin;
    while (end < sorted.size() && sorted[end].bytes <= end_size)
      ++end;
    const std::span<const SizePoint> part(sorted.data() + begin, end - begin);
    begin = end;
    const std::uint64_t from_size = curve.pieces.empty() ? 0 : curve.pieces.back().up_to + 1;
    const auto free = static_cast<std::size_t>(std::ranges::count_if(
        nothing, [&](const SizePoint& one) { return one.bytes >= from_size && one.bytes <= end_size; }));
    if (free > part.size()) {
      curve.pieces.push_back({.up_to = end_size, .points = free});
      continue;
    }
    if (part.empty()) continue;
    add_pieces(curve, part, end_size, spread);
  }
  add_errors(curve, sorted);
  return curve;
}

std::vector<MeasuredSizes> classes_by_size(std::span<const SizePoint> points, const Curve& curve) {
  constexpr unsigned bits_of_a_class = 2;
  // Over a break, the medians of what was measured and of the lines would be of different sizes.
  std::map<std::pair<unsigned, const CurvePiece*>, std::vector<SizePoint>> by_size;
  for (const SizePoint& one : points)
    by_size[{static_cast<unsigned>(std::bit_width(one.bytes)) / bits_of_a_class,
             &curve.of(static_cast<double>(one.bytes))}]
        .push_back(one);
  std::vector<MeasuredSizes> classes;
  for (const auto& [size, near] : by_size) {
    MeasuredSizes one{.from = ~std::uint64_t{0}, .points = near.size()};
    std::vector<double> measured;
    std::vector<double> fitted;
    std::vector<double> residuals;
    for (const SizePoint& point : near) {
      one.from = std::min(one.from, point.bytes);
      one.to = std::max(one.to, point.bytes);
      measured.push_back(point.seconds);
      fitted.push_back(curve(static_cast<double>(point.bytes)));
      residuals.push_back(fitted.back() > 0 ? point.seconds / fitted.back() - 1 : 0);
    }
    one.measured = median(measured);
    one.fitted = median(fitted);
    one.residual = median(residuals);
    one.low = quantile(residuals, 0.25);
    one.high = quantile(residuals, 0.75);
    classes.push_back(one);
  }
  return classes;
}

} // namespace timeless::analysis
