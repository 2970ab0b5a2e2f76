#include "analysis/advisor/training.h"

#include "analysis/advisor/features.h"
#include "analysis/advisor/linear.h"
#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

namespace timeless::analysis {

namespace {

Columns chosen(const Columns& columns, std::span<const std::size_t> places) {
  Columns some;
  for (const std::size_t place : places)
    some.push_back(columns[place]);
  return some;
}

/// Returns the feature with mean, deviation and range of its values; a constant has deviation 0.
TrainedFeature described_feature(std::string name, const std::vector<double>& values) {
  TrainedFeature feature{.name = std::move(name)};
  feature.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values)
    squares += (value - feature.mean) * (value - feature.mean);
  feature.deviation = std::sqrt(squares / static_cast<double>(values.size()));
  const auto [least, most] = std::ranges::minmax(values);
  feature.least = least;
  feature.most = most;
  return feature;
}

/// Returns the logarithms of the rows' differences; below a millionth they are as little, above a million as much.
std::vector<double> log_differences(const AdvisorData& data, std::span<const std::size_t> rows, AdvisorLabel label) {
  constexpr double least = 1e-6;
  constexpr double most = 1e6;
  std::vector<double> logarithms;
  for (const std::size_t row : rows)
    logarithms.push_back(std::log(std::clamp(data.rows[row].difference(label), least, most)));
  return logarithms;
}

constexpr double four_of_five = 1.2815515655446004; // the 0.9-quantile of the normal distribution

/// Returns where four of five values lie whose logarithms are normal.
Interval likely_about(double value, double log_deviation) {
  return {value * std::exp(-four_of_five * log_deviation), value * std::exp(four_of_five * log_deviation)};
}

/// Returns what of the normal distribution is above so many deviations.
double above(double deviations) {
  return 0.5 * std::erfc(deviations / std::numbers::sqrt2);
}

/// Returns steps of the simulation over actions, 1 or more.
double steps_per_action(double actions, double messages) {
  return (actions + std::max(messages, 0.0)) / actions;
}

} // namespace

double DifferenceCurve::beyond(double difference) const {
  // The tails of a line far from the threshold, or without deviation, would be 0 / 0.
  constexpr double most_deviations = 30;
  const double deviation = std::max(log_deviation, 1e-9);
  const double at_threshold =
      std::clamp((std::log(threshold) - log_mean) / deviation, -most_deviations, most_deviations);
  const double at = at_threshold + std::log(difference / threshold) / deviation;
  return at >= at_threshold ? probability * above(at) / above(at_threshold)
                            : 1 - (1 - probability) * above(-at) / above(-at_threshold);
}

double DifferenceCurve::quantile(double share) const {
  double low = std::log(1e-9);
  double high = std::log(1e9);
  for (int halved = 0; halved < 60; ++halved) {
    const double middle = 0.5 * (low + high);
    (1 - beyond(std::exp(middle)) < share ? low : high) = middle;
  }
  return std::exp(0.5 * (low + high));
}

double SimulationCost::seconds(double actions, double messages) const {
  if (!(actions > 0)) return 0;
  const double steps = steps_per_action(actions, messages);
  return seconds_per_step * actions * steps * std::pow(steps, exponent);
}

Interval SimulationCost::likely(double actions, double messages) const {
  return likely_about(seconds(actions, messages), log_deviation);
}

SimulationCost simulation_cost(const AdvisorData& data, std::span<const std::size_t> rows) {
  const std::size_t messages = feature_place("NoM");
  Columns columns(1);
  std::vector<double> values;
  for (const std::size_t number : rows) {
    const AdvisorRow& row = data.rows[number];
    if (row.actions == 0 || !(row.smpi_cpu_seconds > 0)) continue;
    const auto actions = static_cast<double>(row.actions);
    const double steps = steps_per_action(actions, row.features[messages]);
    columns.front().push_back(std::log(steps));
    values.push_back(std::log(row.smpi_cpu_seconds / (actions * steps)));
  }
  if (values.empty()) return {};
  const auto [least, most] = std::ranges::minmax(columns.front());
  if (!(most > least)) columns.clear(); // the exponent is not known
  const LinearFit line = fit_linear(columns, values);
  return {.seconds_per_step = std::exp(line.intercept),
          .exponent = columns.empty() ? 0 : line.coefficients.front(),
          .log_deviation = line.deviation};
}

std::vector<std::size_t> forward_selection(const Columns& columns, const std::vector<bool>& answers, std::size_t most,
                                           Penalty penalty) {
  std::vector<std::size_t> taken;
  double lowest = fit_logistic({}, answers, penalty).aic();
  while (taken.size() < most) {
    std::optional<std::size_t> best;
    for (std::size_t place = 0; place < columns.size(); ++place) {
      if (std::ranges::find(taken, place) != taken.end()) continue;
      std::vector<std::size_t> with = taken;
      with.push_back(place);
      const double aic = fit_logistic(chosen(columns, with), answers, penalty).aic();
      if (aic >= lowest) continue;
      lowest = aic;
      best = place;
    }
    if (!best) break;
    taken.push_back(*best);
  }
  return taken;
}

SimulationAdvice TrainedModel::advise(std::span<const double> values, std::optional<double> other) const {
  SimulationAdvice advice;
  double odds = intercept;
  double logarithm = log_difference;
  for (const TrainedFeature& feature : features) {
    const double value = values[feature_place(feature.name)];
    const double part = feature.coefficient * (value - feature.mean) / feature.deviation;
    advice.parts.push_back(part);
    odds += part;
    logarithm += feature.slope * (value - feature.mean) / feature.deviation;
    // A little beyond the rows is no other world.
    const double slack = 0.1 * (feature.most - feature.least);
    if (value < feature.least - slack || value > feature.most + slack) advice.outside.push_back(feature.name);
  }
  constexpr double ranks_slack = 1.25;
  const double ranks = values[feature_place("R")];
  if (most_ranks > 0 && (ranks * ranks_slack < least_ranks || ranks > most_ranks * ranks_slack))
    advice.outside.emplace_back("R");
  advice.probability = LogisticFit{.intercept = odds}.probability({});
  const DifferenceCurve curve{threshold, advice.probability, logarithm, log_difference_deviation};
  advice.difference = curve.quantile(0.5);
  advice.likely = {curve.quantile(0.1), curve.quantile(0.9)};
  if (other && *other != threshold) advice.probability = curve.beyond(*other);
  return advice;
}

namespace {

/// Sets the ranks that two programs or more of these rows ran on.
void set_ranks(TrainedModel& model, const AdvisorData& data, std::span<const std::size_t> rows) {
  const std::size_t ranks = feature_place("R");
  std::map<std::string, std::pair<double, double>> by_program;
  for (const std::size_t row : rows) {
    const double value = data.rows[row].features[ranks];
    auto& [least, most] = by_program.try_emplace(data.rows[row].program, value, value).first->second;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  std::vector<double> least;
  std::vector<double> most;
  for (const auto& [program, range] : by_program) {
    least.push_back(range.first);
    most.push_back(range.second);
  }
  std::ranges::sort(least);
  std::ranges::sort(most, std::ranges::greater{});
  const std::size_t second = std::min<std::size_t>(1, by_program.size() - 1);
  model.least_ranks = least[second];
  model.most_ranks = most[second];
}

} // namespace

TrainedModel train(const AdvisorData& data, std::span<const std::size_t> rows, const TrainingOptions& options) {
  const std::vector<bool> all = data.needed(options.threshold, options.label);
  std::vector<bool> answers;
  for (const std::size_t row : rows)
    answers.push_back(all[row]);
  const auto needed = static_cast<std::size_t>(std::ranges::count(answers, true));
  if (needed == 0 || needed == answers.size())
    throw Error(Failure::invalid_input,
                needed == 0 ? "no row needs simulation: nothing can be told apart"
                            : "all rows need simulation: nothing can be told apart",
                {}, "collect runs of both kinds, or choose another --threshold");
  std::vector<TrainedFeature> features;
  Columns columns;
  for (const std::string& name : options.candidates) {
    const std::size_t place = feature_place(name);
    std::vector<double> values;
    for (const std::size_t row : rows)
      values.push_back(data.rows[row].features[place]);
    TrainedFeature feature = described_feature(name, values);
    if (!(feature.deviation > 0) || !std::isfinite(feature.deviation)) continue; // says nothing
    for (double& value : values)
      value = (value - feature.mean) / feature.deviation;
    features.push_back(std::move(feature));
    columns.push_back(std::move(values));
  }
  std::vector<std::size_t> taken(columns.size());
  std::iota(taken.begin(), taken.end(), std::size_t{0});
  if (options.select) taken = forward_selection(columns, answers, options.most_features, options.penalty);
  const LogisticFit fit = fit_logistic(chosen(columns, taken), answers, options.penalty);
  TrainedModel model{.threshold = options.threshold,
                     .label = options.label,
                     .intercept = fit.intercept,
                     .rows = rows.size(),
                     .needed = needed,
                     .programs = data.programs()};
  const LinearFit line = fit_linear(chosen(columns, taken), log_differences(data, rows, options.label));
  model.log_difference = line.intercept;
  model.log_difference_deviation = line.deviation;
  model.cost = simulation_cost(data, rows);
  set_ranks(model, data, rows);
  for (std::size_t i = 0; i < taken.size(); ++i) {
    model.features.push_back(features[taken[i]]);
    model.features.back().coefficient = fit.coefficients[i];
    model.features.back().slope = line.coefficients[i];
  }
  return model;
}

TrainedModel train(const AdvisorData& data, const TrainingOptions& options) {
  std::vector<std::size_t> rows(data.rows.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return train(data, rows, options);
}

} // namespace timeless::analysis
