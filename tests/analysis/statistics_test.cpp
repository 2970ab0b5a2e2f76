#include "analysis/statistics/drift.h"
#include "analysis/statistics/lines.h"
#include "analysis/statistics/quantiles.h"
#include "analysis/statistics/quietness.h"
#include "base/error.h"
#include "base/students.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace timeless::analysis {
namespace {

std::vector<double> count(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(StudentsQuantile, is_that_of_tables_with_few_and_many_degrees) {
  EXPECT_DOUBLE_EQ(students_quantile(StudentsTail::twentieth, 1), 6.314);
  EXPECT_DOUBLE_EQ(students_quantile(StudentsTail::fortieth, 10), 2.228);
  EXPECT_NEAR(students_quantile(StudentsTail::twentieth, 11), 1.7959, 0.002);
  EXPECT_NEAR(students_quantile(StudentsTail::fortieth, 11), 2.2010, 0.0022);
  EXPECT_NEAR(students_quantile(StudentsTail::twentieth, 30), 1.6973, 0.001);
  EXPECT_NEAR(students_quantile(StudentsTail::fortieth, 1'000'000), normal_quantile(StudentsTail::fortieth), 1e-5);
}

TEST(Quietness, is_lost_where_repetitions_spread_or_one_in_twenty_takes_much_longer) {
  std::vector<double> times(100, 1e-3);
  EXPECT_TRUE(quietness(times).quiet());
  for (std::size_t i = 0; i < 3; ++i)
    times[i] = 1;
  EXPECT_TRUE(quietness(times).quiet()) << "three in a hundred";
  for (std::size_t i = 0; i < 7; ++i)
    times[i] = 1.3e-3;
  EXPECT_FALSE(quietness(times).quiet());
  EXPECT_NEAR(quietness(times).worst, 0.3, 1e-9);
  for (std::size_t i = 0; i < 50; ++i)
    times[i] = 1.06e-3;
  EXPECT_GT(quietness(times).spread, 0.05);
  EXPECT_FALSE(quietness(times).quiet());
  EXPECT_THROW(quietness({}), Error);
}

TEST(Quantile, stands_on_the_line_between_its_neighbours_whatever_the_order) {
  const std::vector<double> values{40, 10, 30, 20};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 10);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 40);
  EXPECT_DOUBLE_EQ(median(values), 25);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 17.5);
  EXPECT_DOUBLE_EQ(relative_spread(values), 15.0 / 25);
  EXPECT_THROW(median({}), Error);
}

TEST(WeightedQuantile, has_as_much_weight_below_it_as_asked) {
  EXPECT_DOUBLE_EQ(weighted_quantile({{40, 1}, {10, 1}, {30, 1}, {20, 1}}, 0.5), 25);
  EXPECT_DOUBLE_EQ(weighted_quantile({{10, 1}, {30, 1}, {20, 1}}, 0.5), 20);
  EXPECT_DOUBLE_EQ(weighted_quantile({{10, 1}, {20, 1}, {30, 5}}, 0.5), 30);
  EXPECT_DOUBLE_EQ(weighted_quantile({{10, 1}, {20, 1}, {30, 5}}, 0.1), 10);
  EXPECT_DOUBLE_EQ(weighted_quantile({{10, 1}, {20, 1}, {30, 5}}, 1), 30);
  EXPECT_THROW(weighted_quantile({}, 0.5), Error);
}

// Ranks as in Le Boudec's table A.1 for 95 %: 6 (1, 6), 10 (2, 9), 20 (6, 15), 50 (18, 33 or 19, 32 by convention).
TEST(MedianInterval, lies_between_the_ranks_of_the_binomial_distribution) {
  EXPECT_EQ(median_interval(count(6)), (Interval{1, 6}));
  EXPECT_EQ(median_interval(count(9)), (Interval{2, 8}));
  EXPECT_EQ(median_interval(count(10)), (Interval{2, 9}));
  EXPECT_EQ(median_interval(count(20)), (Interval{6, 15}));
  EXPECT_EQ(median_interval(count(50)), (Interval{18, 33}));
}

TEST(MedianInterval, of_too_few_values_is_all_there_is) {
  EXPECT_EQ(median_interval(count(1)), (Interval{1, 1}));
  EXPECT_EQ(median_interval(count(5)), (Interval{1, 5}));
}

TEST(MedianInterval, holds_the_median_as_often_as_it_says) {
  std::mt19937 random(1);
  std::lognormal_distribution<double> draw(0, 1.5); // whose median is 1
  int held = 0;
  constexpr int trials = 2000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> values(25);
    for (double& value : values)
      value = draw(random);
    const Interval interval = median_interval(values);
    held += interval.low <= 1 && 1 <= interval.high ? 1 : 0;
  }
  EXPECT_GE(held, 0.95 * trials);
}

TEST(TheilSen, does_not_see_a_quarter_of_wild_points) {
  std::vector<Point> points;
  for (int x = 0; x < 40; ++x)
    points.push_back({static_cast<double>(x), x % 4 == 0 ? 1e6 : 3.0 + 2.0 * x});
  const Line line = theil_sen(points);
  EXPECT_NEAR(line.slope, 2, 0.2);
  EXPECT_NEAR(line.intercept, 3, 5);
  EXPECT_THROW(theil_sen(std::vector<Point>{{1, 2}, {1, 3}}), Error);
}

TEST(TheilSen, of_many_points_takes_some_and_says_the_same) {
  std::vector<Point> points;
  for (int x = 0; x < 5000; ++x)
    points.push_back({static_cast<double>(x), 7.0 + 0.5 * x});
  const Line line = theil_sen(points);
  EXPECT_DOUBLE_EQ(line.slope, 0.5);
  EXPECT_DOUBLE_EQ(line.intercept, 7);
}

TEST(RelativeFit, gives_back_a_line_and_never_one_with_negative_parts) {
  RelativeFit exact;
  for (const double x : {0.0, 1.0, 5.0, 1000.0})
    exact.add({x, 2e-6 + 1e-9 * x});
  EXPECT_NEAR(exact.line().intercept, 2e-6, 1e-15);
  EXPECT_NEAR(exact.line().slope, 1e-9, 1e-18);
  RelativeFit falling;
  for (const double x : {1.0, 2.0, 3.0})
    falling.add({x, 4 - x});
  EXPECT_EQ(falling.line().slope, 0);
  RelativeFit below;
  for (const double x : {1.0, 2.0, 3.0})
    below.add({x, 2 * x - 1});
  EXPECT_EQ(below.line().intercept, 0);
  EXPECT_GT(below.line().slope, 0);
}

// With intercept a and slope b, the sum of ((a + b x) / y - 1)^2 must not fall in any direction that is allowed.
TEST(RelativeFit, tells_how_large_an_intercept_and_a_slope_may_be) {
  // Three steps of 1 %, of means 0: of large x nothing tells an intercept, of small ones nothing a slope.
  const auto fit_of = [](double from, const Line& truth) {
    RelativeFit fit;
    for (int point = 0; point < 60; ++point) {
      const double x = from * (1 + point / 20.0);
      fit.add({x, truth(x) * (1 + 0.01 * (point % 3 - 1))});
    }
    return fit;
  };
  const RelativeFit large = fit_of(1e6, {.intercept = 0, .slope = 1e-9});
  EXPECT_GT(large.most_intercept().intercept, 1e-9);
  EXPECT_LT(large.most_intercept().intercept, 1e-4);
  EXPECT_LE(large.squares(large.most_intercept()), 1.1 * large.squares(large.line()));
  const RelativeFit small = fit_of(1, {.intercept = 1e-6, .slope = 0});
  EXPECT_GT(small.most_slope().slope, 1e-11);
  EXPECT_LT(small.most_slope().slope, 1e-7);
  EXPECT_LE(small.squares(small.most_slope()), 1.1 * small.squares(small.line()));
  const RelativeFit known = fit_of(10, {.intercept = 1e-6, .slope = 1e-9});
  EXPECT_NEAR(known.most_intercept().intercept, 1e-6, 3e-8);
}

TEST(RelativeFit, is_the_least_of_all_lines_that_are_allowed) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> draw(0.1, 10);
  for (int trial = 0; trial < 300; ++trial) {
    RelativeFit fit;
    for (int point = 0; point < 8; ++point)
      fit.add({draw(random), draw(random)});
    const Line best = fit.line();
    const double least = fit.squares(best);
    for (int other = 0; other < 50; ++other) {
      const Line line{std::max(0.0, best.intercept + draw(random) - 5), std::max(0.0, best.slope + draw(random) - 5)};
      ASSERT_GE(fit.squares(line), least - 1e-9);
    }
  }
}

TEST(Drift, is_seen_in_what_rises_and_not_in_noise) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 1);
  std::vector<double> still;
  std::vector<double> rising;
  for (int time = 0; time < 200; ++time) {
    still.push_back(noise(random));
    rising.push_back(noise(random) + 0.01 * time);
  }
  EXPECT_FALSE(drifts(still));
  EXPECT_TRUE(drifts(rising));
  EXPECT_FALSE(drifts(std::vector<double>(50, 1.0)));
  EXPECT_DOUBLE_EQ(spearman(std::vector<double>{1, 2, 3, 4}, std::vector<double>{10, 100, 1000, 1e9}), 1);
  EXPECT_DOUBLE_EQ(spearman(std::vector<double>{1, 2, 3, 4}, std::vector<double>{4, 3, 2, 1}), -1);
}

} // namespace
} // namespace timeless::analysis
