#include "analysis/statistics/quantiles.h"
#include "analysis/statistics/segments.h"
#include "base/error.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>
#include <vector>

namespace timeless::analysis {
namespace {

using testing::SizeIs;

/// Protocols as an MPI library may have them, on a link of about 10 GB/s.
struct Truth {
  double up_to;
  Line line;
};
const std::vector<Truth> five{{1e3, {1.2e-6, 4e-10}},
                              {1.2e4, {2.1e-6, 3e-10}},
                              {6.4e4, {6e-6, 1.4e-10}},
                              {3e6, {1.4e-5, 0.9e-10}},
                              {1e9, {8e-5, 1.3e-10}}};

double truth(double x) {
  for (const Truth& one : five)
    if (x <= one.up_to) return one.line(x);
  return five.back().line(x);
}

/// Medians of repetitions at random sizes, as a calibration has them.
std::vector<Point> measured(int sizes, double noise, double outliers, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> exponent(0, std::log(1e8));
  std::normal_distribution<double> spread(0, noise);
  std::bernoulli_distribution wild(outliers);
  std::vector<double> places;
  for (int size = 0; size < sizes; ++size)
    places.push_back(std::floor(std::exp(exponent(random))));
  std::ranges::sort(places);
  places.erase(std::ranges::unique(places).begin(), places.end());
  std::vector<Point> points;
  for (const double x : places) {
    std::vector<double> repetitions;
    for (int repetition = 0; repetition < 9; ++repetition)
      repetitions.push_back(truth(x) * std::exp(spread(random)) * (wild(random) ? 10 : 1));
    points.push_back({x, median(repetitions)});
  }
  return points;
}

TEST(SegmentedLine, of_one_line_is_that_line) {
  std::vector<Point> points;
  for (int x = 1; x <= 64; ++x)
    points.push_back({x * 100.0, 5e-6 + x * 100.0 * 1e-9});
  const SegmentedLine fit = segmented_line(points);
  ASSERT_THAT(fit.segments, SizeIs(1));
  EXPECT_NEAR(fit.segments[0].line.intercept, 5e-6, 1e-12);
  EXPECT_NEAR(fit.segments[0].line.slope, 1e-9, 1e-16);
  EXPECT_LT(fit.rms, 1e-6);
}

TEST(SegmentedLine, finds_every_break_where_nothing_disturbs) {
  const std::vector<Point> points = measured(400, 0, 0, 1);
  const SegmentedLine fit = segmented_line(points);
  ASSERT_THAT(fit.segments, SizeIs(five.size()));
  for (std::size_t segment = 0; segment + 1 < five.size(); ++segment) {
    EXPECT_LE(fit.segments[segment].to, five[segment].up_to);
    EXPECT_GT(fit.segments[segment + 1].from, five[segment].up_to);
    EXPECT_NEAR(fit.segments[segment].line.intercept, five[segment].line.intercept, 1e-12);
  }
  EXPECT_LT(fit.rms, 1e-6);
}

TEST(SegmentedLine, gives_the_truth_back_from_noise_and_outliers) {
  for (const unsigned seed : {1U, 2U, 3U, 4U, 5U}) {
    const std::vector<Point> points = measured(600, 0.1, 0.01, seed);
    const SegmentedLine fit = segmented_line(points, {.spread = 0.13});
    double squares = 0;
    for (const LineSegment& segment : fit.segments)
      for (const Point& point : points)
        if (point.x >= segment.from && point.x <= segment.to)
          squares += std::pow(segment.line(point.x) / truth(point.x) - 1, 2);
    // The medians spread by 4 %; the lines must know better.
    EXPECT_LT(std::sqrt(squares / static_cast<double>(points.size())), 0.025) << "seed " << seed;
    EXPECT_LE(fit.segments.size(), 6U);
  }
}

TEST(SegmentedLine, stops_where_repetitions_spread_as_much) {
  const std::vector<Point> points = measured(300, 0, 0, 7);
  const SegmentedLine coarse = segmented_line(points, {.spread = 10});
  EXPECT_THAT(coarse.segments, SizeIs(1));
}

// The dynamic programme against every way to divide a few points.
TEST(SegmentedLine, is_the_best_of_all_divisions) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> draw(1, 5);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Point> points;
    for (int x = 0; x < 12; ++x)
      points.push_back({x + 1.0, draw(random)});
    const auto squares = [&](std::size_t begin, std::size_t end) {
      RelativeFit fit;
      for (std::size_t place = begin; place < end; ++place)
        fit.add(points[place]);
      return fit.squares(fit.line());
    };
    double two = 1e300;
    double three = 1e300;
    for (std::size_t left = 3; left + 3 <= 12; ++left) {
      two = std::min(two, squares(0, left) + squares(left, 12));
      for (std::size_t right = left + 3; right + 3 <= 12; ++right)
        three = std::min(three, squares(0, left) + squares(left, right) + squares(right, 12));
    }
    const SegmentedLine fit = segmented_line(points, {.most_segments = 3, .least_points = 3});
    EXPECT_NEAR(fit.rms_by_segments[1], std::sqrt(two / 12), 1e-9);
    EXPECT_NEAR(fit.rms_by_segments[2], std::sqrt(three / 12), 1e-9);
  }
}

TEST(SegmentedLine, refuses_what_it_cannot_fit) {
  EXPECT_THROW(segmented_line(std::vector<Point>{{1, 1}, {2, 1}}), Error);
  std::vector<Point> points;
  for (int x = 0; x < 10; ++x)
    points.push_back({static_cast<double>(x), 1});
  points[5].y = 0;
  EXPECT_THROW(segmented_line(points), Error);
  points[5] = {4, 1};
  EXPECT_THROW(segmented_line(points), Error);
}

} // namespace
} // namespace timeless::analysis
