#include "analysis/statistics/segments.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace timeless::analysis {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
// What a further segment must lower the rms by.
constexpr double worth_a_segment = 0.9;
constexpr double good_enough = 1.0 / 3;
// No measurement of time is better than this.
constexpr double exact = 1e-4;

void require(std::span<const Point> points, std::size_t least) {
  if (points.size() < std::max(least, std::size_t{1}))
    throw Error(Failure::usage, "too few points for a segment of a line");
  for (std::size_t index = 0; index < points.size(); ++index) {
    const bool rises = index == 0 || points[index].x > points[index - 1].x;
    if (!rises || !(points[index].y > 0) || !std::isfinite(points[index].y))
      throw Error(Failure::usage, "points of a segmented line need rising places and values above 0");
  }
}

/// The squares of the best line through points `first` to `last`, for every pair; infinite where they are too few.
class Costs {
public:
  Costs(std::span<const Point> points, std::size_t least) : size_(points.size()), squares_(size_ * size_, infinite) {
    for (std::size_t first = 0; first < size_; ++first) {
      RelativeFit fit;
      for (std::size_t last = first; last < size_; ++last) {
        fit.add(points[last]);
        if (last - first + 1 >= least) squares_[first * size_ + last] = fit.squares(fit.line());
      }
    }
  }
  double operator()(std::size_t first, std::size_t last) const { return squares_[first * size_ + last]; }

private:
  std::size_t size_;
  std::vector<double> squares_;
};

/// For each number of segments, and each point as the last: the least squares so far, and where the last segment
/// begins.
struct Best {
  std::vector<std::vector<double>> squares;
  std::vector<std::vector<std::size_t>> begins;
};

Best best_breaks(const Costs& costs, std::size_t points, std::size_t most) {
  Best best;
  for (std::size_t segments = 0; segments < most; ++segments) {
    auto& squares = best.squares.emplace_back(points, infinite);
    auto& begins = best.begins.emplace_back(points, 0);
    for (std::size_t last = 0; last < points; ++last) {
      if (segments == 0) {
        squares[last] = costs(0, last);
        continue;
      }
      for (std::size_t first = 1; first <= last; ++first) {
        const double all = best.squares[segments - 1][first - 1] + costs(first, last);
        if (all < squares[last]) {
          squares[last] = all;
          begins[last] = first;
        }
      }
    }
  }
  return best;
}

std::size_t elbow(std::span<const double> rms, double spread) {
  for (std::size_t chosen = 0; chosen < rms.size(); ++chosen) {
    if (rms[chosen] <= std::max(exact, good_enough * spread)) return chosen;
    double needed = rms[chosen];
    const bool worth_more = std::ranges::any_of(rms.subspan(chosen + 1), [&](double more) {
      needed *= worth_a_segment;
      return more <= needed && more < rms[chosen];
    });
    if (!worth_more) return chosen;
  }
  return rms.size() - 1;
}

LineSegment segment(std::span<const Point> points) {
  RelativeFit fit;
  for (const Point& point : points)
    fit.add(point);
  const Line line = fit.line();
  return {.from = points.front().x,
          .to = points.back().x,
          .points = points.size(),
          .line = line,
          .rms = std::sqrt(fit.squares(line) / static_cast<double>(points.size()))};
}

} // namespace

SegmentedLine segmented_line(std::span<const Point> points, const SegmentOptions& options) {
  const std::size_t least = std::max(options.least_points, std::size_t{2});
  require(points, least);
  const std::size_t most =
      std::clamp(points.size() / least, std::size_t{1}, std::max(options.most_segments, std::size_t{1}));
  const Best best = best_breaks(Costs(points, least), points.size(), most);
  SegmentedLine result;
  for (const auto& squares : best.squares)
    result.rms_by_segments.push_back(std::sqrt(squares.back() / static_cast<double>(points.size())));
  const std::size_t chosen = elbow(result.rms_by_segments, options.spread);
  result.rms = result.rms_by_segments[chosen];
  for (std::size_t segments = chosen + 1, end = points.size(); segments-- > 0;) {
    const std::size_t begin = best.begins[segments][end - 1];
    result.segments.push_back(segment(points.subspan(begin, end - begin)));
    end = begin;
  }
  std::ranges::reverse(result.segments);
  return result;
}

} // namespace timeless::analysis
