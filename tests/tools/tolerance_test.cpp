#include "analysis/tolerance.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace timeless::analysis {
namespace {

/// A piece of a convex function: height + slope * factor.
struct Line {
  double height = 0;
  double slope = 0;
  double at(double factor) const { return height + slope * factor; }
};

const Line& highest(const std::vector<Line>& lines, double factor) {
  return *std::ranges::max_element(lines, {}, [&](const Line& line) { return line.at(factor); });
}

/// Returns where the largest of the lines first reaches a height: the lowest of their own places.
double reached_at(const std::vector<Line>& lines, double height) {
  double first = std::numeric_limits<double>::infinity();
  for (const Line& line : lines)
    if (line.slope > 0) first = std::min(first, (height - line.height) / line.slope);
  return first;
}

using Evaluate = std::function<std::vector<ToleranceSample>(std::span<const double>)>;

Evaluate evaluating(const std::vector<Line>& lines, bool with_slopes) {
  return [=](std::span<const double> factors) {
    std::vector<ToleranceSample> samples;
    for (const double factor : factors) {
      const Line& line = highest(lines, factor);
      samples.push_back({factor, line.at(factor)});
      if (with_slopes) samples.back().slope = line.slope;
    }
    return samples;
  };
}

Evaluate evaluating(std::function<double(double)> makespan) {
  return [=](std::span<const double> factors) {
    std::vector<ToleranceSample> samples;
    for (const double factor : factors)
      samples.push_back({factor, makespan(factor)});
    return samples;
  };
}

TEST(Tolerance, a_program_that_pays_every_latency_is_found_exactly) {
  // 9 s of computation and 1 s of latency: 1 % more takes a latency 10 % larger.
  for (const bool with_slopes : {true, false}) {
    const ToleranceAnswer answer = find_tolerance(evaluating({{9, 1}}, with_slopes));
    EXPECT_EQ(answer.makespan, 10);
    ASSERT_EQ(answer.tolerances.size(), 3U);
    const double expected[] = {1.1, 1.2, 1.5};
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(answer.tolerances[i].certified);
      EXPECT_NEAR(answer.tolerances[i].least, expected[i], 1e-9);
      EXPECT_NEAR(answer.tolerances[i].most, expected[i], 1e-9);
    }
  }
}

TEST(Tolerance, latency_hidden_until_a_factor_shows_from_there) {
  // Hidden behind 10 s of computation until the latency is 8 times as large.
  const std::vector<Line> lines{{10, 0}, {2, 1}};
  const ToleranceAnswer answer = find_tolerance(evaluating(lines, true), {.growths = {0.01}});
  ASSERT_FALSE(answer.tolerances[0].beyond);
  EXPECT_LE(answer.tolerances[0].least, 8.1 * (1 + 1e-12));
  EXPECT_GE(answer.tolerances[0].most, 8.1 * (1 - 1e-12));
  EXPECT_LT(answer.tolerances[0].most - answer.tolerances[0].least, 1e-3 * 7.1);
}

TEST(Tolerance, what_does_not_depend_on_latency_is_tolerated_beyond_any_factor_looked_at) {
  const ToleranceAnswer answer = find_tolerance(evaluating({{10, 0}}, true));
  for (const Tolerance& tolerance : answer.tolerances) {
    EXPECT_TRUE(tolerance.beyond);
    EXPECT_TRUE(tolerance.certified);
    EXPECT_EQ(tolerance.least, 1024);
    EXPECT_TRUE(std::isinf(tolerance.most));
  }
}

TEST(Tolerance, brackets_of_random_convex_functions_hold_the_truth_and_are_narrow) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Line> lines;
    const std::size_t pieces = 1 + random() % 40;
    double slope = std::pow(10.0, static_cast<double>(random() % 5)) * 1e-4;
    for (std::size_t i = 0; i < pieces; ++i) {
      lines.push_back({static_cast<double>(random() % 1000) / (1 + static_cast<double>(i)), slope});
      slope *= 1 + static_cast<double>(random() % 100) / 60;
    }
    lines.push_back({1, 0});
    const bool with_slopes = round % 2 == 0;
    const ToleranceAnswer answer = find_tolerance(evaluating(lines, with_slopes));
    ASSERT_EQ(answer.not_convex_because, "");
    for (const Tolerance& tolerance : answer.tolerances) {
      const double truth = reached_at(lines, answer.makespan * (1 + tolerance.growth));
      ASSERT_TRUE(tolerance.certified);
      ASSERT_LE(tolerance.least, truth * (1 + 1e-9)) << "round " << round << ", growth " << tolerance.growth;
      ASSERT_GE(tolerance.most, truth * (1 - 1e-9)) << "round " << round << ", growth " << tolerance.growth;
      if (truth > 1024) {
        ASSERT_TRUE(tolerance.beyond);
      } else {
        ASSERT_LE(tolerance.most - tolerance.least, 1e-3 * (truth - 1) * (1 + 1e-9)) << "round " << round;
      }
    }
  }
}

TEST(Tolerance, a_smooth_convex_function_is_bracketed_without_slopes) {
  const ToleranceAnswer answer =
      find_tolerance(evaluating([](double factor) { return 10 + factor * factor; }), {.growths = {0.01, 1}});
  for (const Tolerance& tolerance : answer.tolerances) {
    const double truth = std::sqrt(11 * (1 + tolerance.growth) - 10);
    EXPECT_TRUE(tolerance.certified);
    EXPECT_LE(tolerance.least, truth);
    EXPECT_GE(tolerance.most, truth);
    EXPECT_LE(tolerance.most - tolerance.least, 1e-3 * (truth - 1));
  }
}

TEST(Tolerance, a_jump_is_noticed_and_answered_by_samples_without_a_certificate) {
  // As when a message waits for its receive from some latency on: level, a step, level.
  const auto jump = [](double factor) { return factor < 3.25 ? 10.0 : 12.0; };
  const ToleranceAnswer answer = find_tolerance(evaluating(jump));
  EXPECT_NE(answer.not_convex_because, "");
  for (const Tolerance& tolerance : answer.tolerances) {
    EXPECT_FALSE(tolerance.certified);
    EXPECT_LT(tolerance.least, 3.25);
    EXPECT_GE(tolerance.most, 3.25);
    EXPECT_LT(tolerance.most - tolerance.least, 1e-3 * 2.25);
  }
}

TEST(Tolerance, a_makespan_that_falls_is_noticed) {
  const auto falls = [](double factor) { return factor < 4 ? 10 + factor : 8 + factor; };
  EXPECT_NE(find_tolerance(evaluating(falls)).not_convex_because, "");
}

TEST(Tolerance, a_slope_that_contradicts_the_samples_is_noticed) {
  const auto wrong = [](std::span<const double> factors) {
    std::vector<ToleranceSample> samples;
    for (const double factor : factors)
      samples.push_back({factor, 10 + factor, 1.5});
    return samples;
  };
  EXPECT_NE(find_tolerance(wrong).not_convex_because, "");
}

TEST(Tolerance, what_is_known_not_to_be_convex_gets_no_certificate) {
  const ToleranceAnswer answer =
      find_tolerance(evaluating({{9, 1}}, true), {.not_convex_because = "messages wait for their receives"});
  EXPECT_EQ(answer.not_convex_because, "messages wait for their receives");
  for (const Tolerance& tolerance : answer.tolerances) {
    EXPECT_FALSE(tolerance.certified);
    EXPECT_LT(tolerance.least, 1 + 10 * tolerance.growth + 1e-12);
    EXPECT_GE(tolerance.most, 1 + 10 * tolerance.growth - 1e-12);
  }
}

TEST(Tolerance, a_program_that_takes_no_time_tolerates_everything) {
  // No growth of 0 can be reached, or all are: neither must end in a division by 0.
  const ToleranceAnswer answer = find_tolerance(evaluating({{0, 0}}, true));
  EXPECT_EQ(answer.makespan, 0);
  for (const Tolerance& tolerance : answer.tolerances)
    EXPECT_TRUE(tolerance.beyond);
}

TEST(Tolerance, values_that_make_no_sense_are_refused) {
  EXPECT_THROW(ToleranceSearch({.growths = {0}}), Error);
  EXPECT_THROW(ToleranceSearch({.growths = {-1}}), Error);
  EXPECT_THROW(ToleranceSearch({.precision = 0}), Error);
  EXPECT_THROW(ToleranceSearch({.largest_factor = 1}), Error);
}

} // namespace
} // namespace timeless::analysis
