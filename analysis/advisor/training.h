#pragma once

#include "analysis/advisor/data_set.h"
#include "analysis/advisor/logistic.h"
#include "analysis/statistics/quantiles.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace timeless::analysis {

/// Returns the places of at most `most` columns, in the order in which forward selection takes them: each time the one
/// that lowers Akaike's criterion most, until none does (Tong et al., section VI.A; R's step()).
std::vector<std::size_t> forward_selection(const Columns& columns, const std::vector<bool>& answers, std::size_t most,
                                           Penalty penalty);

/// A feature of a model, with what it was trained on.
struct TrainedFeature {
  std::string name = {};
  double mean = 0;
  double deviation = 1;
  double coefficient = 0; ///< of the value less the mean, over the deviation
  double slope = 0;       ///< likewise, of the logarithm of the difference
  double least = 0;       ///< in the rows
  double most = 0;
};

/// How likely two times differ by how much. The probability of more than the threshold is given; how far beyond it or
/// below it, a normal distribution of the logarithm says, cut off there.
struct DifferenceCurve {
  double threshold = 0.02;
  double probability = 0.5;
  double log_mean = 0; ///< of the normal distribution
  double log_deviation = 1;

  /// Returns the probability of a difference of more than `difference`: it falls with that.
  double beyond(double difference) const;
  /// Returns the difference that so large a share of such runs does not exceed, 0 < `share` < 1.
  double quantile(double share) const;
};

/// What a model says of one run.
struct SimulationAdvice {
  /// The median of what the two times differ by, and where four of five such runs lie.
  double difference = 0;
  Interval likely = {};
  double probability = 0; ///< that simulation is needed
  /// What each feature adds to the logarithm of the odds, by TrainedModel::features.
  std::vector<double> parts = {};
  /// Features outside what the model was trained on.
  std::vector<std::string> outside = {};
};

/// What simulating a run costs of the processor: seconds_per_step * s * (s / actions)^exponent, where s is the number
/// of actions and of messages, those of collectives included. It is proportional to the length of a run. The exponent
/// says what collectives cost beyond their messages, which share links with many others.
struct SimulationCost {
  double seconds_per_step = 0; ///< 0: not known
  double exponent = 0;
  double log_deviation = 0; ///< root mean square of what the logarithms of the rows' seconds differ by

  /// Returns the seconds that are expected.
  double seconds(double actions, double messages) const;
  /// Returns where four of five such runs lie, were the logarithms normal.
  Interval likely(double actions, double messages) const;
};

/// Fits the cost by least squares of the logarithms, to the rows of these numbers that were simulated.
SimulationCost simulation_cost(const AdvisorData& data, std::span<const std::size_t> rows);

/// A logistic regression of whether simulation is needed.
struct TrainedModel {
  double threshold = 0.02; ///< of AdvisorRow::difference()
  AdvisorLabel label = AdvisorLabel::total;
  double intercept = 0;
  double log_difference = 0;           ///< of a run whose features are at their means
  double log_difference_deviation = 0; ///< of what the line leaves
  std::vector<TrainedFeature> features = {};
  std::size_t rows = 0;
  std::size_t needed = 0; ///< of the rows
  std::vector<std::string> programs = {};
  /// The ranks that two programs or more of the rows ran on (with one program its own); 0: not known. Runs beyond, by
  /// more than a quarter, are outside.
  double least_ranks = 0;
  double most_ranks = 0;
  SimulationCost cost = {}; ///< on the machine where the rows were collected

  /// Returns what the model says of a run with these values, by features() as in AdvisorRow; the probability is that of
  /// a difference beyond the model's threshold or, by the curve through that probability, beyond another. Throws
  /// Error(invalid_input) for a feature that nobody has.
  SimulationAdvice advise(std::span<const double> values, std::optional<double> other = {}) const;
};

/// How a model is trained.
struct TrainingOptions {
  double threshold = 0.02;
  AdvisorLabel label = AdvisorLabel::total;
  std::size_t most_features = 5;
  std::vector<std::string> candidates = {}; ///< names of features
  bool select = true;                       ///< by AIC; else all candidates are taken
  Penalty penalty = Penalty::log_f;
};

/// Trains on the rows of these numbers. Throws Error(invalid_input) where all of them have one answer.
TrainedModel train(const AdvisorData& data, std::span<const std::size_t> rows, const TrainingOptions& options);
/// Trains on all rows.
TrainedModel train(const AdvisorData& data, const TrainingOptions& options);

} // namespace timeless::analysis
