#include "analysis/scaling/law.h"
#include "analysis/scaling/law_words.h"
#include "base/error.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace timeless::analysis {
namespace {

using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const std::vector<double> five_counts{12, 24, 36, 48, 96};
const std::vector<double> square_counts{4, 16, 36, 64, 144};

std::vector<ScalePlace> places(const std::vector<double>& ranks) {
  std::vector<ScalePlace> result;
  for (const double count : ranks)
    result.push_back({.ranks = count});
  return result;
}

LawFit fit_of(const std::vector<ScalePlace>& where, const std::function<double(const ScalePlace&)>& truth) {
  std::vector<double> values;
  for (const ScalePlace& place : where)
    values.push_back(truth(place));
  return LawSearch(where).fit(values);
}

LawFit fit_of(const std::vector<double>& ranks, const std::function<double(double)>& truth) {
  return fit_of(places(ranks), [&](const ScalePlace& place) { return truth(place.ranks); });
}

double at(const LawFit& fit, double ranks) {
  const auto prediction = predict(fit, {.ranks = ranks});
  return prediction ? prediction->value : std::numeric_limits<double>::quiet_NaN();
}

/// The exponents and powers of logarithms of facts on fitting: Extra-P's default search.
std::vector<std::pair<double, int>> extra_p_terms() {
  std::vector<std::pair<double, int>> terms;
  for (const double exponent : {0.0,    1. / 4, 1. / 3, 1. / 2, 2. / 3, 3. / 4, 4. / 5, 1.0,    5. / 4,  4. / 3,
                                3. / 2, 5. / 3, 7. / 4, 2.0,    9. / 4, 7. / 3, 5. / 2, 8. / 3, 11. / 4, 3.0})
    for (int logs = 0; logs <= 2; ++logs)
      if (exponent != 0 || logs != 0) terms.emplace_back(exponent, logs);
  return terms;
}

TEST(LawSearch, finds_every_term_of_extra_p_and_its_inverse_without_noise) {
  const LawSearch search(places(five_counts));
  std::mt19937 random(16);
  std::uniform_real_distribution<double> magnitude(0, 3);
  for (const auto& [exponent, logs] : extra_p_terms())
    for (const double sign : {1.0, -1.0}) {
      const double constant = std::pow(10, 3 + magnitude(random));
      const double coefficient = std::pow(10, 3 + magnitude(random));
      const auto truth = [&, power = sign * exponent, log = logs](double p) {
        return constant + coefficient * std::pow(p, power) * std::pow(std::log2(p), log);
      };
      std::vector<double> values;
      for (const double p : five_counts)
        values.push_back(truth(p));
      const LawFit fit = search.fit(values);
      ASSERT_EQ(fit.kind, LawKind::exact) << sign * exponent << " " << logs;
      EXPECT_TRUE(fit.confirmed);
      EXPECT_NEAR(at(fit, 4096) / truth(4096), 1, 1e-6) << formula(fit.laws[0]);
      const ScaleTerm& term = fit.laws.front().parts.back().term;
      EXPECT_NEAR(static_cast<double>(term.ranks.numerator) / term.ranks.denominator, sign * exponent, 1e-12);
      EXPECT_EQ(term.ranks.logs, logs);
    }
}

TEST(LawSearch, finds_two_terms_and_a_constant_in_five_points) {
  const std::vector<std::function<double(double)>> truths{
      [](double p) { return 4e9 / p + 3e6 / std::sqrt(p) + 1000; }, // an area and its edges
      [](double p) { return 1e9 / p + 5e6 * std::pow(p, -2. / 3) + 77; },
      [](double p) { return 1e6 + 300 * std::log2(p) + 2 * p; },
      [](double p) { return 1e8 / p + 40 * std::log2(p) + 5; }};
  for (const auto& truth : truths) {
    const LawFit fit = fit_of({4, 8, 16, 32, 64}, truth);
    ASSERT_EQ(fit.kind, LawKind::exact);
    EXPECT_TRUE(fit.confirmed);
    EXPECT_THAT(fit.laws.front().parts, SizeIs(3));
    EXPECT_NEAR(at(fit, 1024) / truth(1024), 1, 1e-5) << formula(fit.laws.front());
  }
}

TEST(LawSearch, finds_whole_numbers_with_boundaries) {
  // A square grid of 720 x 720 points over sqrt(P) x sqrt(P) ranks: points within, and those of edges.
  const auto interior = [](double p) { return std::pow(720 / std::sqrt(p) - 2, 2); };
  const LawFit grid = fit_of(square_counts, interior);
  ASSERT_EQ(grid.kind, LawKind::exact);
  EXPECT_NEAR(at(grid, 400), interior(400), 1e-3);
  const LawFit pairs = fit_of(five_counts, [](double p) { return p * (p - 1) / 2; });
  EXPECT_EQ(pairs.kind, LawKind::exact);
  EXPECT_NEAR(at(pairs, 1000), 499500, 1e-3);
  const LawFit others = fit_of({8, 16, 32, 64}, [](double p) { return 1024 * (p - 1) / p; });
  EXPECT_EQ(others.kind, LawKind::exact);
  EXPECT_NEAR(at(others, 256), 1020, 1e-6);
  const LawFit neighbours = fit_of({8, 16, 32, 64}, [](double p) { return p - 1; });
  EXPECT_TRUE(neighbours.confirmed);
  EXPECT_EQ(formula(neighbours.laws.front()), "-1 + 1 P");
}

TEST(LawSearch, takes_what_is_rounded_up_for_no_exact_law) {
  const LawFit fit = fit_of({6, 12, 24, 48, 96}, [](double p) { return std::ceil(1000 / p); });
  EXPECT_EQ(fit.kind, LawKind::approximate);
  EXPECT_GT(fit.residual, 1e-4);
  EXPECT_NEAR(at(fit, 192), 6, 1);
}

double side(double ranks, std::size_t which) {
  return static_cast<double>(balanced_grid(static_cast<std::uint64_t>(ranks), 2).at(which));
}

TEST(LawSearch, finds_edges_of_grids_that_are_no_squares) {
  // 240 x 240 points over a x b ranks, most alike: their area, both edges, and one edge alone.
  const auto area = [](double p) { return 175 * 240 * 240 / p + 32 * (240 / side(p, 0) + 240 / side(p, 1)) + 9; };
  const LawFit fit = fit_of({2, 4, 6, 8, 12, 16}, area);
  ASSERT_EQ(fit.kind, LawKind::exact);
  EXPECT_EQ(formula(fit.laws.front()), "9 + 1.008e+07/P + 7680 (1/a + 1/b)");
  EXPECT_NEAR(at(fit, 32) / area(32), 1, 1e-9);
  const auto edge = [](double p) { return 69120 / side(p, 1); };
  EXPECT_EQ(formula(fit_of({2, 4, 6, 8, 12, 16}, edge).laws.front()), "69120/b");
}

TEST(LawSearch, finds_the_stages_of_trees) {
  const auto up = [](double p) { return 222 + 18000 * std::ceil(std::log2(p)); };
  const LawFit tree = fit_of({3, 4, 6, 9, 20, 40}, up);
  EXPECT_EQ(formula(tree.laws.front()), "222 + 18000 ceil(log2(P))");
  EXPECT_TRUE(tree.sure());
  EXPECT_EQ(at(tree, 1000), up(1000));
  const LawFit down = fit_of({3, 4, 6, 9, 20, 40}, [](double p) { return 7 * p * std::floor(std::log2(p)); });
  EXPECT_EQ(formula(down.laws.front()), "7 P floor(log2(P))");
  EXPECT_EQ(formula(fit_of({4, 8, 16, 32}, up).laws.front()), "222 + 18000 log2(P)") << "of powers of two";
  EXPECT_FALSE(fit_of({4, 6, 9, 12, 16}, up).confirmed) << "three different numbers of stages";
}

TEST(LawSearch, mixes_no_sides_of_grids_in_two_and_three_dimensions) {
  // Of 4, 6, 9 and 12 ranks, 2 a + 1 / z of grids in two and in three dimensions: what no program has.
  const std::vector<double> ranks{4, 6, 9, 12, 20};
  std::vector<double> values;
  for (const double count : ranks) {
    const auto three = balanced_grid(static_cast<std::uint64_t>(count), 3);
    values.push_back(5 * (side(count, 0) + side(count, 1)) / 3 - 10 / (3.0 * static_cast<double>(three[1])));
  }
  const LawFit fit = LawSearch(places(ranks)).fit(values);
  for (const ScaleLaw& law : fit.laws)
    for (const ScalePart& one : law.parts)
      for (const ScalePart& other : law.parts)
        EXPECT_TRUE(go_together(one.term, other.term)) << formula(law);
  ASSERT_FALSE(fit.laws.empty());
}

TEST(LawSearch, takes_sides_of_the_grid_that_is_known) {
  const std::vector<double> ranks{4, 8, 12, 18, 24, 36};
  std::vector<double> values;
  for (const double count : ranks)
    values.push_back(7 * static_cast<double>(balanced_grid(static_cast<std::uint64_t>(count), 3)[2]));
  const auto dimensions = [&](int known) {
    const LawFit fit = LawSearch(places(ranks), 1e-7, {}, known).fit(values);
    return fit.laws.empty() ? 0 : fit.laws.front().parts.back().term.grid.dimensions;
  };
  EXPECT_EQ(dimensions(0), 3);
  EXPECT_EQ(dimensions(3), 3);
  EXPECT_NE(dimensions(2), 3);
}

TEST(Laws, have_sums) {
  const ScaleTerm inverse{.ranks = {-1, 1, 0}};
  const auto fit = [](ScaleLaw law, LawKind kind, double error) {
    return LawFit{.kind = kind,
                  .confirmed = kind == LawKind::exact,
                  .left_out_error = error,
                  .laws = {std::move(law)},
                  .least = {.ranks = 4},
                  .largest = {.ranks = 16}};
  };
  const LawFit one = fit({{{{}, 100}, {inverse, 1600}}}, LawKind::exact, 0);
  const LawFit other = fit({{{inverse, 800}}}, LawKind::exact, 0);
  const LawFit exact = sum({&one, &other});
  EXPECT_TRUE(exact.sure());
  EXPECT_EQ(formula(exact.laws.front()), "100 + 2400/P");
  EXPECT_EQ(exact.largest.ranks, 16);
  const LawFit rough = fit({{{{}, 50}}}, LawKind::approximate, 0.1);
  const LawFit all = sum({&one, &other, &rough});
  EXPECT_EQ(all.kind, LawKind::approximate);
  EXPECT_FALSE(all.confirmed);
  EXPECT_NEAR(all.left_out_error, 0.1 * 50 / 300, 1e-12) << "as much as it is of what they come to";
  const LawFit none;
  EXPECT_THAT(sum({&one, &none}).laws, IsEmpty());
  const LawFit gone = fit({{{{}, 0}}}, LawKind::exact, 0);
  EXPECT_EQ(formula(sum({&gone, &gone}).laws.front()), "0");
}

TEST(Laws, have_products_of_no_more_than_the_simplest) {
  LawFit many{.kind = LawKind::exact, .confirmed = true};
  for (int law = 0; law < 300; ++law)
    many.laws.push_back({{{{}, static_cast<double>(law)}}});
  EXPECT_THAT(product(many, many).laws, SizeIs(testing::Le(256U)));
}

TEST(Laws, have_products) {
  const auto law = [](std::vector<ScalePart> parts) { return ScaleLaw{std::move(parts)}; };
  const ScaleTerm log{.ranks = {0, 1, 1}};
  const ScaleTerm inverse{.ranks = {-1, 1, 0}};
  const ScaleTerm root{.ranks = {1, 2, 0}};
  const auto stages = product(law({{{}, -3}, {log, 3}}), law({{{}, 109}, {inverse, 458752}}));
  ASSERT_TRUE(stages);
  EXPECT_EQ(formula(*stages), "-327 - 1.37626e+06/P + 327 log2(P) + 1.37626e+06 log2(P)/P");
  const ScalePlace there{.ranks = 64};
  EXPECT_DOUBLE_EQ(stages->at(there), 15 * (109 + 458752.0 / 64));
  EXPECT_EQ(formula(*product(law({{root, 2}}), law({{root, 3}}))), "6 P");
  EXPECT_FALSE(product(law({{{.ranks = {1, 4, 0}}, 1}}), law({{{.ranks = {1, 3, 0}}, 1}})))
      << "no exponent of the search";
  EXPECT_FALSE(product(law({{{.ranks = {0, 1, 2}}, 1}}), law({{log, 1}})));
}

TEST(BalancedGrid, has_its_sides_most_alike_the_longest_first) {
  const auto two = [](std::uint64_t ranks) { return balanced_grid(ranks, 2); };
  EXPECT_THAT(two(12), testing::ElementsAre(4, 3, 1));
  EXPECT_THAT(two(16), testing::ElementsAre(4, 4, 1));
  EXPECT_THAT(two(7), testing::ElementsAre(7, 1, 1));
  EXPECT_THAT(balanced_grid(24, 3), testing::ElementsAre(4, 3, 2));
  EXPECT_THAT(balanced_grid(64, 3), testing::ElementsAre(4, 4, 4));
  EXPECT_THAT(balanced_grid(2, 3), testing::ElementsAre(2, 1, 1));
}

TEST(LawSearch, keeps_the_fewest_coefficients) {
  EXPECT_EQ(formula(fit_of({8, 16, 32}, [](double) { return 5; }).laws.front()), "5");
  const LawFit inverse = fit_of({8, 16, 32}, [](double p) { return 640 / p; });
  ASSERT_THAT(inverse.laws, SizeIs(1));
  EXPECT_EQ(formula(inverse.laws.front()), "640/P");
  EXPECT_TRUE(inverse.confirmed);
}

TEST(LawSearch, is_never_exact_with_as_many_coefficients_as_points) {
  // Any three values lie on some constant and term, any four on some constant and two.
  std::mt19937 random(4);
  std::uniform_int_distribution<int> value(1000, 100000);
  for (int round = 0; round < 200; ++round) {
    const double first = value(random);
    const double second = value(random);
    const LawFit two = LawSearch(places({8, 16})).fit(std::vector{first, second});
    if (first != second && two.kind == LawKind::exact) {
      EXPECT_THAT(two.laws.front().parts, SizeIs(1));
      EXPECT_FALSE(two.confirmed);
    }
    const std::vector<double> four{first, second, static_cast<double>(value(random)),
                                   static_cast<double>(value(random))};
    const LawFit fit = LawSearch(places({8, 16, 32, 64})).fit(four);
    EXPECT_FALSE(fit.confirmed) << formula(fit.laws.front());
  }
}

TEST(LawSearch, does_not_confirm_what_leaves_one_point_over) {
  const auto truth = [](double p) { return 1e6 / p + 7; };
  const LawFit four = fit_of({8, 16, 64}, truth);
  ASSERT_EQ(four.kind, LawKind::exact);
  EXPECT_FALSE(four.confirmed);
  EXPECT_FALSE(predict(four, {.ranks = 128})->bounded); // it may fit by chance
  EXPECT_TRUE(predict(four, {.ranks = 32})->bounded);
  LawFit checked = four;
  const auto check = check_laws(checked, {.ranks = 128}, truth(128), 1e-7);
  ASSERT_TRUE(check);
  EXPECT_TRUE(check->exact);
  EXPECT_TRUE(checked.confirmed);
  EXPECT_LE(checked.laws.size(), four.laws.size());
}

TEST(LawSearch, takes_no_law_of_three_coefficients_from_four_points) {
  const auto truth = [](double p) { return 1e6 / p + 100 * std::log2(p) + 7; };
  EXPECT_NE(fit_of({8, 16, 32, 64}, truth).kind, LawKind::exact);
  EXPECT_TRUE(fit_of({8, 16, 32, 64, 128}, truth).sure());
}

TEST(LawSearch, leaves_more_open_where_fewer_points_are_left_over) {
  const auto noisy = [](double p) { return 1000 / p * (1 + 0.01 * std::sin(5 * p)); };
  const auto width = [&](const std::vector<double>& ranks) {
    const LawFit fit = fit_of(ranks, noisy);
    const auto there = predict(fit, {.ranks = 256});
    return std::log(there->high / there->low) / std::log1p(fit.left_out_error);
  };
  EXPECT_GT(width({8, 16, 32}), width({8, 11, 16, 22, 26, 32}));
}

TEST(LawSearch, widens_an_approximate_law_by_its_error_at_the_check_run) {
  LawFit fit = fit_of({8, 16, 24, 32}, [](double p) { return 1000 / p + 0.1 * std::sin(p); });
  ASSERT_EQ(fit.kind, LawKind::approximate);
  const double before = fit.left_out_error;
  check_laws(fit, {.ranks = 64}, 16.8, 1e-7);
  EXPECT_GT(fit.left_out_error, before);
  EXPECT_GT(fit.left_out_error, 0.06);
}

TEST(LawSearch, names_how_far_off_a_check_run_is) {
  LawFit fit = fit_of({8, 16, 32, 64}, [](double p) { return 1000 / p; });
  const auto check = check_laws(fit, {.ranks = 128}, 8, 1e-7);
  ASSERT_TRUE(check);
  EXPECT_FALSE(check->exact);
  EXPECT_NEAR(check->residual, (1000. / 128 - 8) / 8, 1e-12);
  EXPECT_EQ(fit.kind, LawKind::approximate);
  EXPECT_FALSE(fit.confirmed);
}

TEST(LawSearch, of_noise_names_the_error_and_has_a_wider_interval) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.002);
  const LawFit fit = fit_of(five_counts, [&](double p) { return (1e6 / p + 1e4) * (1 + noise(random)); });
  ASSERT_EQ(fit.kind, LawKind::approximate);
  EXPECT_GT(fit.left_out_error, 1e-5);
  const auto prediction = predict(fit, {.ranks = 192});
  ASSERT_TRUE(prediction);
  EXPECT_LT(prediction->low, prediction->high);
  EXPECT_NEAR(prediction->value / (1e6 / 192 + 1e4), 1, 0.05);
}

TEST(LawSearch, widens_the_interval_of_an_approximate_law_with_the_distance) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 0.02);
  const LawFit fit = fit_of(five_counts, [&](double p) { return 1e6 / p * (1 + noise(random)); });
  ASSERT_EQ(fit.kind, LawKind::approximate);
  const auto width = [&](double ranks) {
    const auto prediction = predict(fit, {.ranks = ranks});
    return prediction ? prediction->high / prediction->low : 0;
  };
  EXPECT_GT(width(96), 1);
  EXPECT_LT(width(96), width(768));
  EXPECT_LT(width(768), width(6144));
  EXPECT_EQ(fit.spans_beyond({.ranks = 96}), 0);
  EXPECT_DOUBLE_EQ(fit.spans_beyond({.ranks = 768}), 1); // 12 to 96, and 8 times that
}

TEST(LawSearch, does_not_let_noise_grow_faster_than_the_ranks) {
  // What MPI_Init leaves to the first kernel: much the same everywhere, and three values lie near any power.
  const LawFit fit = LawSearch(places({4, 6, 12})).fit(std::vector<double>{700'000, 700'100, 700'450});
  ASSERT_EQ(fit.kind, LawKind::approximate);
  const auto there = predict(fit, {.ranks = 256});
  ASSERT_TRUE(there);
  EXPECT_LT(there->high, 1.1 * there->value) << fit.laws.size();
  EXPECT_TRUE(fit.assumes_no_growth);
  EXPECT_TRUE(sum({&fit, &fit}).assumes_no_growth);
  const LawFit grows = LawSearch(places({4, 6, 12})).fit(std::vector<double>{1'000, 1'205, 2'300});
  EXPECT_GT(predict(grows, {.ranks = 256})->high, 256.0 * 256) << "what shows in the runs may";
  EXPECT_FALSE(grows.assumes_no_growth);
}

TEST(LawSearch, takes_no_exact_law_that_grows_from_noise_where_nothing_confirms_it) {
  const LawSearch search(places({2, 4, 8}));
  std::vector<double> values;
  for (const double ranks : {2.0, 4.0, 8.0})
    values.push_back(1.7e9 / ranks + 750 * std::pow(ranks, 1.5) * std::log2(ranks));
  const LawFit exact = search.fit(values);
  ASSERT_EQ(exact.kind, LawKind::exact) << "a further run may confirm it";
  ASSERT_FALSE(exact.confirmed);
  const LawFit taken = search.fit_unchecked(values);
  EXPECT_EQ(taken.kind, LawKind::approximate);
  EXPECT_TRUE(taken.assumes_no_growth);
  ASSERT_FALSE(taken.laws.empty());
  EXPECT_LT(taken.laws.front().at({.ranks = 1024}), values.back());
}

TEST(LawSearch, calls_no_law_what_a_check_run_misses_by_more_than_a_tenth) {
  const std::vector<double> values{100, 81, 72};
  const auto checked = [&](double measured) {
    LawFit fit = LawSearch(places({4, 8, 16})).fit_approximately(values);
    EXPECT_EQ(fit.kind, LawKind::approximate);
    const auto check = check_laws(fit, {.ranks = 32}, measured, 1e-7);
    EXPECT_TRUE(check);
    EXPECT_FALSE(check->exact);
    return fit;
  };
  const double said = LawSearch(places({4, 8, 16})).fit_approximately(values).laws.front().at({.ranks = 32});
  EXPECT_EQ(checked(said / 1.09).kind, LawKind::approximate);
  const LawFit missed = checked(said / 1.11);
  EXPECT_EQ(missed.kind, LawKind::none);
  EXPECT_TRUE(missed.laws.empty());
  EXPECT_NEAR(missed.left_out_error, 0.11, 1e-9);
}

TEST(LawSearch, finds_the_functions_of_ding_et_al_without_noise) {
  // Their set, with its combinations: first-order polynomials, powers and logarithms, each with a constant.
  const std::vector<std::function<double(double)>> set{
      [](double p) { return 12 + 3 * p; },
      [](double p) { return 4000 * std::pow(p, -2.0 / 3) + 17; },
      [](double p) { return 5 * std::pow(p, 1.5) + 100; },
      [](double p) { return 80 + 9 * std::log2(p); },
      [](double p) { return 6 * p * std::log2(p) + 11; },
      [](double p) { return 3 * p + 50 * std::log2(p) + 7; },
      [](double p) { return 1e5 / p + 20 * p; },
  };
  const std::vector<double> theirs{12, 24, 36, 48, 96}; // with 120 to verify
  for (const auto& truth : set) {
    LawFit fit = fit_of(theirs, truth);
    const auto check = check_laws(fit, {.ranks = 120}, truth(120), 1e-7);
    ASSERT_TRUE(check);
    EXPECT_TRUE(check->exact && fit.sure());
    EXPECT_NEAR(predict(fit, {.ranks = 768})->value, truth(768), 1e-6 * truth(768));
  }
}

TEST(LawSearch, makes_no_exponential_of_what_grows_so) {
  // No term is an exponential: what would be one is approximate at best, and its check says so.
  const auto truth = [](double p) { return 1000 * std::exp2(p / 8); };
  LawFit fit = fit_of({12, 24, 36, 48, 96}, truth);
  EXPECT_FALSE(fit.sure());
  const auto check = check_laws(fit, {.ranks = 120}, truth(120), 1e-7);
  EXPECT_FALSE(check && check->exact);
}

TEST(LawSearch, finds_no_law_where_there_is_none) {
  const LawFit fit = LawSearch(places(five_counts)).fit(std::vector<double>{1, 900, 3, 5000, 2});
  EXPECT_EQ(fit.kind, LawKind::none);
  EXPECT_THAT(fit.laws, IsEmpty());
  EXPECT_FALSE(predict(fit, {.ranks = 100}));
}

TEST(LawSearch, takes_zeros) {
  const LawFit nothing = fit_of(five_counts, [](double) { return 0; });
  EXPECT_EQ(nothing.kind, LawKind::exact);
  EXPECT_EQ(at(nothing, 1000), 0);
  const LawFit from_one = fit_of({1, 2, 4, 8, 16}, [](double p) { return std::log2(p); });
  EXPECT_EQ(from_one.kind, LawKind::exact);
  EXPECT_NEAR(at(from_one, 1024), 10, 1e-6);
  const LawFit appears = LawSearch(places(five_counts)).fit(std::vector<double>{0, 0, 0, 0, 7});
  EXPECT_NE(appears.kind, LawKind::exact);
}

TEST(LawSearch, predicts_nothing_below_zero) {
  const LawFit fit = fit_of({8, 16, 32, 64}, [](double p) { return 1000 - p; });
  ASSERT_EQ(fit.kind, LawKind::exact);
  EXPECT_NEAR(at(fit, 500), 500, 1e-3);
  EXPECT_FALSE(predict(fit, {.ranks = 4096}));
}

TEST(LawSearch, refuses_what_is_no_series) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(LawSearch(places({8, 8, 8})), Error);
  EXPECT_THROW(LawSearch(places({})), Error);
  EXPECT_THROW(LawSearch(places({0, 8, 16})), Error);
  EXPECT_THROW(LawSearch(places({nan, 8, 16})), Error);
  const LawSearch search(places({4, 8, 16}));
  EXPECT_THROW(search.fit(std::vector<double>{1, 2}), Error);
  EXPECT_THROW(search.fit(std::vector<double>{1, 2, nan}), Error);
  EXPECT_THROW(search.fit(std::vector<double>{1, 2, std::numeric_limits<double>::infinity()}), Error);
}

TEST(LawSearch, does_not_fit_one_number_of_ranks_with_two_values) {
  const LawFit fit = LawSearch(places({8, 8, 16, 32})).fit(std::vector<double>{100, 110, 50, 25});
  EXPECT_NE(fit.kind, LawKind::exact);
}

TEST(LawSearch, takes_two_parameters_at_once) {
  const std::vector<ScalePlace> where{{4, 4096}, {8, 4096}, {16, 4096}, {4, 32768}, {8, 32768}, {16, 262144}};
  const auto truth = [](const ScalePlace& place) {
    return 12 * place.size / place.ranks + 5 * std::pow(place.size / place.ranks, 2. / 3) + 3;
  };
  const LawFit fit = fit_of(where, truth);
  ASSERT_EQ(fit.kind, LawKind::exact);
  EXPECT_TRUE(fit.confirmed);
  EXPECT_EQ(formula(fit.laws.front()), "3 + 5 (n/P)^(2/3) + 12 n/P");
  const ScalePlace there{1024, 1e6};
  EXPECT_NEAR(predict(fit, there)->value / truth(there), 1, 1e-6);
}

TEST(LawSearch, takes_what_a_rank_has_of_the_points_along_a_side) {
  const std::vector<ScalePlace> where{{2, 9216}, {2, 36864}, {3, 20736}, {4, 9216}, {4, 36864}};
  const auto truth = [](const ScalePlace& place) {
    const double edge =
        std::sqrt(place.size) / static_cast<double>(balanced_grid(static_cast<std::uint64_t>(place.ranks), 2)[0]);
    return 200 * place.size / place.ranks + 120 * edge;
  };
  const LawFit fit = fit_of(where, truth);
  ASSERT_EQ(fit.kind, LawKind::exact);
  EXPECT_TRUE(fit.confirmed);
  EXPECT_EQ(formula(fit.laws.front()), "200 n/P + 120 n^(1/2)/a");
  const ScalePlace there{4, 82944};
  EXPECT_NEAR(predict(fit, there)->value / truth(there), 1, 1e-6);
}

TEST(LawSearch, fits_five_noisy_runs_of_several_sizes_by_no_law_of_three_coefficients) {
  const std::vector<ScalePlace> where{{2, 9216}, {2, 36864}, {3, 20736}, {4, 9216}, {4, 36864}};
  const LawFit fit = fit_of(where, [](const ScalePlace& place) {
    return 200 * place.size / place.ranks * (1 + 0.01 * std::sin(7 * place.ranks + place.size));
  });
  ASSERT_EQ(fit.kind, LawKind::approximate);
  for (const ScaleLaw& law : fit.laws)
    EXPECT_THAT(law.parts, SizeIs(testing::Le(2U))) << formula(law);
}

TEST(LawSearch, of_weak_scaling_keeps_what_ranks_and_size_cannot_tell_apart) {
  std::vector<ScalePlace> where;
  for (const double ranks : {4., 8., 16., 32.})
    where.push_back({ranks, 1000 * ranks});
  const LawFit fit = LawSearch(where).fit(std::vector<double>{400, 800, 1600, 3200});
  ASSERT_EQ(fit.kind, LawKind::exact);
  EXPECT_THAT(fit.laws, SizeIs(testing::Ge(2U)));
  EXPECT_NEAR(predict(fit, {64, 64000})->high, 6400, 1e-3);
  const auto otherwise = predict(fit, {64, 32000}); // more ranks, not as much more work
  EXPECT_LT(otherwise->low, otherwise->high);
}

TEST(LawWords, say_what_happens_with_more_ranks) {
  const ScalePlace there{.ranks = 4096};
  const ScaleTerm inverse{.ranks = {-1, 1, 0}};
  const ScaleTerm log{.ranks = {0, 1, 1}};
  const ScaleTerm surface{.ranks = {2, 3, 0}};
  const auto words = [&](std::vector<ScalePart> parts, ScalingMode mode = ScalingMode::strong) {
    return in_words({std::move(parts)}, there, mode);
  };
  EXPECT_EQ(words({{{}, 5}}), "does not shrink: serial");
  EXPECT_EQ(words({{{}, 5}}, ScalingMode::weak), "the same on any number of ranks");
  EXPECT_EQ(words({{inverse, 5}}), "falls as 1/P");
  EXPECT_EQ(words({{{}, 1}, {inverse, 1e6}}), "falls as 1/P, later less");
  EXPECT_EQ(words({{{}, 1000}, {inverse, 1000}}), "falls as 1/P to a part that does not shrink");
  EXPECT_EQ(words({{log, 5}}), "grows with log P");
  EXPECT_EQ(words({{{}, 1e6}, {log, 5}}), "does not shrink, grows with log P");
  EXPECT_EQ(words({{surface, 5}}), "grows with P^(2/3)");
  EXPECT_EQ(words({{{.ranks = {-2, 3, 0}}, 5}}), "falls as 1/P^(2/3)");
  EXPECT_EQ(words({{{.ranks = {-2, 3, 0}, .size = {2, 3, 0}}, 5}}), "falls as (n/P)^(2/3)");
  EXPECT_EQ(words({{{}, 100}, {inverse, -100}}), "grows to a limit as 1/P fades");
  EXPECT_EQ(words({{{}, 0}}), "nothing");
}

TEST(LawSearch, counts_runs_whose_grids_have_the_same_side_once) {
  // ceil(33 / b) for b = 3, 3, 4, 4, 5 lies on a line, by chance: only three sides were seen.
  const std::vector<double> ranks{9, 12, 16, 20, 25};
  std::vector<double> values;
  for (const double count : ranks)
    values.push_back(std::ceil(33.0 / static_cast<double>(balanced_grid(static_cast<std::uint64_t>(count), 2)[1])));
  const LawFit fit = LawSearch(places(ranks)).fit(values);
  EXPECT_EQ(fit.kind, LawKind::exact);
  EXPECT_FALSE(fit.confirmed) << formula(fit.laws.front());
  EXPECT_FALSE(fit.reaches({.ranks = 400}));
}

TEST(LawSearch, takes_grids_of_two_billion_ranks) {
  EXPECT_EQ(balanced_grid(2'147'483'646, 2), (std::array<std::uint64_t, 3>{49'981, 42'966, 1}));
  const auto three = balanced_grid(2'147'483'646, 3);
  EXPECT_EQ(three[0] * three[1] * three[2], 2'147'483'646U);
  EXPECT_EQ(balanced_grid(2'147'483'647, 3), (std::array<std::uint64_t, 3>{2'147'483'647, 1, 1})) << "a prime";
}

/// Values that fall by the same for each rank more: below 0 at 64 ranks.
std::vector<double> falling(const std::vector<double>& ranks) {
  std::vector<double> values;
  for (const double count : ranks)
    values.push_back(6000 - 100 * count);
  return values;
}

TEST(LawSearch, chooses_no_unconfirmed_law_that_is_below_zero_where_it_is_asked) {
  const std::vector<double> ranks{4, 6, 10};
  const ScalePlace there{.ranks = 64};
  const LawFit unasked = LawSearch(places(ranks)).fit(falling(ranks));
  EXPECT_TRUE(unasked.laws.front().negative_at(there));
  const LawFit fit = LawSearch(places(ranks), 1e-7, {there}).fit(falling(ranks));
  for (const ScaleLaw& law : fit.laws)
    EXPECT_FALSE(law.negative_at(there)) << law.at(there);
  EXPECT_FALSE(fit.ends_before(there));
}

TEST(LawSearch, keeps_a_confirmed_law_that_is_below_zero_and_says_that_it_ends_before) {
  const std::vector<double> ranks{4, 6, 10, 16, 20};
  const LawFit fit = LawSearch(places(ranks), 1e-7, {{.ranks = 64}}).fit(falling(ranks));
  EXPECT_TRUE(fit.sure());
  EXPECT_TRUE(fit.ends_before({.ranks = 64}));
  EXPECT_FALSE(fit.reaches({.ranks = 64}));
  EXPECT_TRUE(fit.reaches({.ranks = 50}));
  EXPECT_FALSE(predict(fit, {.ranks = 64}));
}

TEST(LawSearch, takes_a_law_that_just_comes_to_zero_for_none_below) {
  const std::vector<double> ranks{4, 6, 10, 16, 20};
  const LawFit fit = LawSearch(places(ranks), 1e-7, {{.ranks = 60}}).fit(falling(ranks));
  EXPECT_FALSE(fit.ends_before({.ranks = 60}));
  EXPECT_NEAR(predict(fit, {.ranks = 60})->value, 0, 1e-6);
}

} // namespace
} // namespace timeless::analysis
