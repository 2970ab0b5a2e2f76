#include "analysis/advisor/evaluation.h"
#include "analysis/advisor/features.h"
#include "analysis/advisor/linear.h"
#include "analysis/advisor/logistic.h"
#include "analysis/advisor/training.h"

#include "base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace timeless::analysis {
namespace {

using testing::ElementsAre;

/// Drawn at random from a logistic model of a and b; c and d say nothing.
constexpr double drawn[][5] = {
    {-0.26, 0.6, 2.02, 0.07, 0},   {-0.23, 0.03, 1.52, 0.04, 1}, {0.39, -0.3, 1.37, 0.83, 1},
    {0.24, 1.79, 3.77, 0.58, 0},   {0.31, 1.43, 0.91, 0.29, 1},  {0.63, 1.26, 2.16, 0.18, 0},
    {-0.62, 0.19, -0.48, 0.06, 1}, {0.41, -0.29, 3.91, 0.31, 1}, {-0.81, 1.18, 1.49, 0.7, 0},
    {-1.09, 1.5, -0.1, 0.73, 0},   {0.5, -0.33, 0.88, 0.76, 1},  {-0.28, 0.67, 1.04, 0.76, 0},
    {0.62, 0.78, -0.22, 0.59, 1},  {-1.84, 1.78, 2.04, 0.47, 0}, {1.44, 0.59, 2.16, 0.99, 1},
    {-0.21, 0.67, 2.93, 0.02, 0},  {0.25, -1.76, 1.87, 0.77, 1}, {0.01, 1.49, 2.99, 0.08, 0},
    {-1.97, 1.28, -0.27, 0.86, 0}, {-0.81, 1.54, 1.96, 0.96, 0}, {0.32, -1.07, 2.3, 0.48, 1},
    {-0.01, -0.32, 1.18, 0.37, 1}, {1.47, 0.06, 0.11, 0.62, 1},  {2.02, 1.12, 2.43, 0.87, 1},
    {-0.79, -1.59, 2.26, 0.63, 1}, {0.62, -1.35, 1.56, 0.34, 1}, {0.57, -1.59, 1.0, 0.36, 1},
    {0.97, -1.41, -0.96, 0.25, 1}, {-0.34, 1.4, 1.77, 0.99, 0},  {-0.42, -1.59, 1.09, 0.34, 1},
    {0.28, -1.91, -0.04, 0.95, 1}, {0.76, -1.89, 2.99, 0.53, 0}, {1.01, -0.96, -1.34, 0.37, 1},
    {0.17, 1.12, -1.44, 0.33, 1},  {1.09, 1.41, -4.37, 0.81, 0}, {-0.05, 0.07, -0.43, 0.36, 1},
    {0.8, -0.96, 1.28, 0.69, 0},   {-2.22, 1.95, 2.53, 0.96, 0}, {0.13, -1.21, 2.41, 0.2, 1},
    {1.55, -0.08, -1.25, 0.65, 1},
};

Columns drawn_columns() {
  Columns columns(4);
  for (const auto& row : drawn)
    for (std::size_t i = 0; i < 4; ++i)
      columns[i].push_back(row[i]);
  return columns;
}

std::vector<bool> drawn_answers() {
  std::vector<bool> answers;
  for (const auto& row : drawn)
    answers.push_back(row[4] > 0.5);
  return answers;
}

Columns standardised(Columns columns) {
  for (std::vector<double>& column : columns) {
    double mean = 0;
    double squares = 0;
    for (const double value : column)
      mean += value / static_cast<double>(column.size());
    for (const double value : column)
      squares += (value - mean) * (value - mean) / static_cast<double>(column.size());
    for (double& value : column)
      value = (value - mean) / std::sqrt(squares);
  }
  return columns;
}

// R 4.2.2: glm(y ~ a + b + c + d, binomial).
TEST(LogisticRegression, by_maximum_likelihood_is_that_of_R) {
  const LogisticFit fit = fit_logistic(drawn_columns(), drawn_answers(), Penalty::none);
  EXPECT_TRUE(fit.converged);
  EXPECT_NEAR(fit.intercept, 1.725379081713, 1e-6);
  const std::array expected{1.140983965368, -1.233281018998, -0.328272954773, -1.554501623420};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(fit.coefficients[i], expected[i], 1e-6) << "R stops at a relative change of 1e-8";
  EXPECT_NEAR(fit.log_likelihood, -16.1888657507, 1e-9);
  EXPECT_NEAR(fit.aic(), 42.3777315013, 1e-9);
}

// R: the prior as two rows of weight 1/2 for each coefficient, glm(..., weights = w).
TEST(LogisticRegression, with_the_prior_is_that_of_R_with_its_rows) {
  const LogisticFit fit = fit_logistic(standardised(drawn_columns()), drawn_answers(), Penalty::log_f);
  EXPECT_NEAR(fit.intercept, 0.506603300167, 1e-7);
  const std::array expected{0.944479868199, -1.385041533977, -0.490675559384, -0.401877852896};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(fit.coefficients[i], expected[i], 1e-7);
}

// R: step(glm(y ~ 1), direction = "forward"): b, then a, then nothing lowers the criterion.
TEST(ForwardSelection, takes_what_R_takes) {
  EXPECT_THAT(forward_selection(drawn_columns(), drawn_answers(), 5, Penalty::none), ElementsAre(1U, 0U));
  EXPECT_THAT(forward_selection(drawn_columns(), drawn_answers(), 1, Penalty::none), ElementsAre(1U));
}

TEST(LogisticRegression, stays_finite_where_a_variable_parts_the_answers) {
  const Columns columns = standardised({{1, 2, 3, 4, 11, 12, 13, 14}});
  const std::vector<bool> answers{false, false, false, false, true, true, true, true};
  const LogisticFit fit = fit_logistic(columns, answers, Penalty::log_f);
  EXPECT_GT(fit.coefficients[0], 1);
  EXPECT_LT(fit.coefficients[0], 10);
  EXPECT_TRUE(std::isfinite(fit_logistic(columns, answers, Penalty::none).coefficients[0]));
}

TEST(LogisticRegression, refuses_rows_that_are_none) {
  EXPECT_THROW(fit_logistic({}, {}, Penalty::none), Error);
  EXPECT_THROW(fit_logistic({{1, 2}}, {true}, Penalty::none), Error);
}

/// Runs of some programs whose two times differ by more than 2 % where the busiest link is busy.
AdvisorData made_data() {
  AdvisorData data;
  const std::size_t busy = feature_place("log_busiest_link");
  const std::size_t insensitive = feature_place("CL_ncs");
  for (int program = 0; program < 6; ++program)
    for (int run = 0; run < 20; ++run) {
      AdvisorRow row{.program = "p" + std::to_string(program), .trace = std::to_string(run), .platform = "x"};
      row.features.resize(features().size());
      for (std::size_t i = 0; i < row.features.size(); ++i)
        row.features[i] = std::sin(static_cast<double>((program + 1) * (run + 3)) * static_cast<double>(i + 1));
      row.features[busy] = -5 + 0.25 * run;
      row.features[insensitive] = run < 5 ? 1 : 0;
      row.model_seconds = 1;
      // One of twenty is otherwise.
      const bool needed = (run >= 10) != (run == program);
      row.smpi_seconds = needed ? 1.1 : 1.001;
      row.actions = 1000;
      row.smpi_cpu_seconds = 0.01;
      data.rows.push_back(row);
    }
  return data;
}

TrainingOptions own_features() {
  return {.candidates = feature_names(false)};
}

TEST(AdvisorTraining, finds_the_feature_that_decides) {
  const TrainedModel model = train(made_data(), own_features());
  ASSERT_FALSE(model.features.empty());
  EXPECT_EQ(model.features.front().name, "log_busiest_link");
  EXPECT_GT(model.features.front().coefficient, 0);
  EXPECT_EQ(model.rows, 120U);
}

/// Rows that cost 2 us a step, times the steps per action.
AdvisorData rows_of_cost() {
  AdvisorData data;
  for (int i = 0; i < 6; ++i) {
    AdvisorRow row{.program = "p", .trace = std::to_string(i), .platform = "x"};
    row.features.resize(features().size());
    row.actions = 100U << static_cast<unsigned>(i);
    const double messages = static_cast<double>(row.actions) * (i % 3);
    row.features[feature_place("NoM")] = messages;
    const double steps = static_cast<double>(row.actions) + messages;
    row.smpi_cpu_seconds = 2e-6 * steps * (steps / static_cast<double>(row.actions));
    data.rows.push_back(row);
  }
  return data;
}

TEST(SimulationCost, is_of_actions_and_messages_and_proportional_to_the_run) {
  const AdvisorData data = rows_of_cost();
  const std::vector<std::size_t> all{0, 1, 2, 3, 4, 5};
  const SimulationCost cost = simulation_cost(data, all);
  EXPECT_NEAR(cost.seconds_per_step, 2e-6, 1e-12);
  EXPECT_NEAR(cost.exponent, 1, 1e-9);
  EXPECT_NEAR(cost.log_deviation, 0, 1e-9);
  EXPECT_NEAR(cost.seconds(1e6, 3e6), 2e-6 * 4e6 * 4, 1e-6);
  EXPECT_NEAR(cost.seconds(2e6, 6e6), 2 * cost.seconds(1e6, 3e6), 1e-6);
  EXPECT_EQ(cost.seconds(0, 0), 0);
  const SimulationCost unsure{.seconds_per_step = 1e-6, .exponent = 0, .log_deviation = 1};
  EXPECT_NEAR(unsure.likely(1e6, 0).low, 0.2776, 1e-4);
  EXPECT_NEAR(unsure.likely(1e6, 0).high, 3.602, 1e-3);
}

TEST(SimulationCost, without_messages_or_simulations_is_what_is_known) {
  AdvisorData data = rows_of_cost();
  const std::vector<std::size_t> alike{0, 3}; // no messages: what these cost is not known
  EXPECT_EQ(simulation_cost(data, alike).exponent, 0);
  EXPECT_NEAR(simulation_cost(data, alike).seconds_per_step, 2e-6, 1e-12);
  for (AdvisorRow& row : data.rows)
    row.smpi_cpu_seconds = 0;
  EXPECT_EQ(simulation_cost(data, alike).seconds_per_step, 0);
}

// R: lm(y ~ a + b), a = 0, 1, 2, 3 and b = 1, 0, 0, 1.
TEST(LinearFit, is_that_of_R) {
  const std::vector<double> values{1, 3, 2, 5};
  const LinearFit fit = fit_linear({{0, 1, 2, 3}, {1, 0, 0, 1}}, values);
  EXPECT_NEAR(fit.intercept, 0.85, 1e-12);
  EXPECT_NEAR(fit.coefficients[0], 1.1, 1e-12);
  EXPECT_NEAR(fit.coefficients[1], 0.5, 1e-12);
  EXPECT_NEAR(fit.deviation, std::sqrt((2 * 0.35 * 0.35 + 2 * 1.05 * 1.05) / 4), 1e-12);
  EXPECT_THROW(fit_linear({{1}}, values), Error);
}

TEST(AdvisorTraining, expects_the_difference_of_such_runs) {
  const AdvisorData data = made_data();
  const SimulationAdvice busy = train(data, own_features()).advise(data.rows[18].features);
  EXPECT_GT(busy.difference, 0.02);
  EXPECT_LT(busy.likely.low, busy.difference);
  EXPECT_GT(busy.likely.high, busy.difference);
}

TEST(DifferenceCurve, falls_and_has_the_given_probability_at_the_threshold) {
  for (const double probability : {0.001, 0.4, 0.81, 0.999})
    for (const double mean : {std::log(1e-4), std::log(0.018), std::log(3.0), -200.0, 200.0})
      for (const double deviation : {0.0, 0.3, 1.2}) {
        const DifferenceCurve curve{
            .threshold = 0.02, .probability = probability, .log_mean = mean, .log_deviation = deviation};
        EXPECT_NEAR(curve.beyond(0.02), probability, 1e-12);
        double before = 1;
        for (double difference = 1e-4; difference < 10; difference *= 1.1) {
          EXPECT_LE(curve.beyond(difference), before) << difference << " " << mean << " " << deviation;
          before = curve.beyond(difference);
        }
        EXPECT_NEAR(curve.beyond(0.0199999), probability, 0.01 + (deviation > 0 ? 0 : 1));
        EXPECT_EQ(curve.quantile(0.5) > 0.02, probability > 0.5);
        EXPECT_LE(curve.quantile(0.1), curve.quantile(0.9));
      }
}

// With the probability of the line itself it is the line.
TEST(DifferenceCurve, is_normal_where_the_probability_is_the_lines) {
  const double above_one_deviation = 0.158655253931457;
  const DifferenceCurve curve{.threshold = std::exp(1.0), .probability = above_one_deviation, .log_mean = 0};
  EXPECT_NEAR(curve.beyond(1), 0.5, 1e-12);
  EXPECT_NEAR(curve.beyond(std::exp(2.0)), 0.0227501319481792, 1e-12);
  EXPECT_NEAR(curve.quantile(0.5), 1, 1e-9);
  EXPECT_NEAR(std::log(curve.quantile(0.9)), 1.2815515655446004, 1e-9);
}

TEST(AdvisorTraining, asked_about_another_difference_agrees_with_its_own) {
  const TrainedModel model = train(made_data(), own_features());
  for (const AdvisorRow& row : made_data().rows) {
    const SimulationAdvice own = model.advise(row.features);
    EXPECT_GE(model.advise(row.features, 0.01).probability, own.probability);
    EXPECT_LE(model.advise(row.features, 0.05).probability, own.probability);
    EXPECT_NEAR(model.advise(row.features, 0.020001).probability, own.probability, 0.01);
    EXPECT_EQ(own.difference > 0.02, own.probability > 0.5);
  }
}

TEST(AdvisorTraining, says_what_is_outside_of_it) {
  TrainingOptions options = own_features();
  options.most_features = 1;
  const TrainedModel model = train(made_data(), options);
  std::vector<double> values(features().size());
  values[feature_place("log_busiest_link")] = -1;
  EXPECT_TRUE(model.advise(values).outside.empty());
  EXPECT_GT(model.advise(values).probability, 0.5);
  values[feature_place("log_busiest_link")] = 5;
  EXPECT_THAT(model.advise(values).outside, ElementsAre("log_busiest_link"));
}

TEST(AdvisorTraining, knows_the_ranks_of_two_programs_alone) {
  AdvisorData data = made_data();
  const std::size_t ranks = feature_place("R");
  for (AdvisorRow& row : data.rows)
    row.features[ranks] = row.program == "p0" ? 4 : row.program == "p1" ? 256 : row.program == "p2" ? 16 : 64;
  const TrainedModel model = train(data, own_features());
  EXPECT_EQ(model.least_ranks, 16) << "4 are of one program";
  EXPECT_EQ(model.most_ranks, 64) << "256 are of one program";
  std::vector<double> values = data.rows[50].features;
  const auto outside_on = [&](double count) {
    values[ranks] = count;
    return model.advise(values).outside;
  };
  EXPECT_THAT(outside_on(4), ElementsAre("R"));
  EXPECT_TRUE(outside_on(16).empty());
  EXPECT_TRUE(outside_on(80).empty()) << "a quarter more is no other world";
  EXPECT_THAT(outside_on(81), ElementsAre("R"));
  std::erase_if(data.rows, [](const AdvisorRow& row) { return row.program != "p0"; });
  EXPECT_EQ(train(data, own_features()).least_ranks, 4) << "there is no other program";
}

TEST(AdvisorTraining, refuses_rows_with_one_answer) {
  AdvisorData data = made_data();
  for (AdvisorRow& row : data.rows)
    row.smpi_seconds = 1;
  EXPECT_THROW(train(data, own_features()), Error);
}

TEST(AdvisorEvaluation, counts_what_is_wrong_by_program_and_by_partition) {
  EvaluationOptions options{.training = own_features(), .partitions = 10};
  const Evaluation found = evaluate(made_data(), options);
  EXPECT_EQ(found.rows, 120U);
  EXPECT_EQ(found.left_out.size(), 6U);
  ASSERT_TRUE(found.programs && found.partitions);
  EXPECT_LE(found.programs->wrong, 0.15) << "the one of twenty, and where the rest begins to need it";
  EXPECT_GE(found.programs->wrong, 0.05);
  EXPECT_NEAR(found.never_wrong, 0.5, 0.06);
  EXPECT_NEAR(found.sensitive_wrong, 0.25, 0.06);
  double outside = 0;
  for (const LeftOutProgram& program : found.left_out)
    outside += static_cast<double>(program.outside);
  EXPECT_GT(outside, 0);
  EXPECT_NEAR(outside * found.outside_wrong + (120 - outside) * found.inside_wrong, 120 * found.programs->wrong, 1e-9);
  EXPECT_EQ(found.selected.front().name, "log_busiest_link");
  EXPECT_EQ(found.selected.front().frequency, 1);
  const Evaluation again = evaluate(made_data(), options);
  EXPECT_EQ(again.partitions->wrong, found.partitions->wrong);
  EXPECT_EQ(again.partitions->log_loss, found.partitions->log_loss);
}

TEST(AdvisorEvaluation, asks_the_same_models_about_other_differences) {
  const Evaluation found = evaluate(made_data(), {.training = own_features(), .partitions = 1});
  ASSERT_EQ(found.thresholds.size(), 4U);
  EXPECT_EQ(found.thresholds[1].threshold, 0.02);
  EXPECT_EQ(found.thresholds[1].rates.wrong, found.programs->wrong) << "what they were trained for";
  EXPECT_NE(found.thresholds[3].rates.log_loss, found.programs->log_loss);
}

TEST(AdvisorEvaluation, tells_no_program_without_others) {
  AdvisorData data = made_data();
  std::erase_if(data.rows, [](const AdvisorRow& row) { return row.program != "p0"; });
  const Evaluation found = evaluate(data, {.training = own_features(), .partitions = 5});
  EXPECT_FALSE(found.programs);
  EXPECT_TRUE(found.left_out.empty());
  EXPECT_TRUE(found.partitions);
  EXPECT_THROW(evaluate(data, {.training = own_features(), .curve = {1}}), Error) << "there are no others";
}

TEST(AdvisorEvaluation, never_tests_on_generated_rows_though_a_program_has_the_name) {
  AdvisorData data = made_data();
  const Evaluation before = evaluate(data, {.training = own_features(), .partitions = 1});
  data.rows.back().synthetic = true;
  const Evaluation after = evaluate(data, {.training = own_features(), .partitions = 1});
  EXPECT_EQ(before.left_out.back().rows, 20U);
  EXPECT_EQ(after.left_out.back().rows, 19U);
}

TEST(AdvisorEvaluation, of_all_other_programs_is_the_end_of_the_curve) {
  EvaluationOptions options{.training = own_features(), .partitions = 1, .curve = {1, 5}, .draws = 3};
  const Evaluation found = evaluate(made_data(), options);
  ASSERT_EQ(found.curve.size(), 2U);
  EXPECT_EQ(found.curve[0].programs, 1U);
  EXPECT_EQ(found.curve[0].models, 18U) << "three for each of six";
  EXPECT_GT(found.curve[0].rates.log_loss, found.curve[1].rates.log_loss) << "one program teaches less";
  EXPECT_EQ(found.curve[1].models, 6U);
  EXPECT_DOUBLE_EQ(found.curve[1].rates.wrong, found.programs->wrong);
  EXPECT_DOUBLE_EQ(found.curve[1].rates.log_loss, found.programs->log_loss);
}

TEST(AdvisorFeatures, are_the_papers_35_and_ours) {
  EXPECT_EQ(feature_names(true).size(), 35U);
  EXPECT_THROW(feature_place("nonsense"), Error);
}

TEST(AdvisorFeatures, are_derived_from_others_of_the_row) {
  std::vector<double> values(features().size());
  values[feature_place("collectives")] = 0.25;
  values[feature_place("log_busiest_link")] = std::log(0.5);
  derive_features(values);
  const std::size_t derived = feature_place("log_collectives_or_link");
  EXPECT_DOUBLE_EQ(values[derived], std::log(0.75)) << "either makes a difference";
  values[feature_place("collectives")] = 0;
  values[feature_place("log_busiest_link")] = std::log(1e-5);
  derive_features(values);
  EXPECT_DOUBLE_EQ(values[derived], std::log(1e-3)) << "less makes no difference";
  EXPECT_EQ(values[feature_place("collectives")], 0);
}

TEST(MovedBytes, are_those_of_messages_and_of_collectives_messages) {
  const Traffic traffic{
      {{.source = 0, .destination = 1, .kind = TrafficKind::message}, {.messages = 3, .bytes = 300}},
      {{.source = 0, .destination = 2, .kind = TrafficKind::message}, {.messages = 1, .bytes = 5000}},
      {{.source = 1, .destination = 2, .kind = TrafficKind::collective}, {.messages = 2, .bytes = 64}},
  };
  const std::vector<std::uint32_t> nodes{0, 0, 1};
  const MovedBytes moved = moved_bytes(traffic, nodes);
  EXPECT_EQ(moved.messages, 6);
  EXPECT_EQ(moved.bytes, 5364);
  EXPECT_EQ(moved.point_to_point_bytes, 5300);
  using Nodes = std::pair<std::uint32_t, std::uint32_t>;
  EXPECT_THAT(moved.between_nodes, ElementsAre(std::pair(Nodes{0, 1}, 5064.0)));
  EXPECT_DOUBLE_EQ(moved.destinations, 2.0 / 3);
  EXPECT_EQ(moved.median_size, 100);
}

} // namespace
} // namespace timeless::analysis
