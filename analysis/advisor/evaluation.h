#pragma once

#include "analysis/advisor/training.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace timeless::analysis {

/// How often answers are wrong.
struct ErrorRates {
  double wrong = 0;    ///< of all
  double missed = 0;   ///< simulation needed, and not advised: of those that need it
  double unneeded = 0; ///< simulation advised, and not needed: of those that do not
  double log_loss = 0; ///< mean of -log(probability of the right answer), clipped at 1e-15
  double brier = 0;    ///< mean square of the probability's error
};

/// How often a feature was selected.
struct SelectedFeature {
  std::string name = {};
  double frequency = 0;   ///< share of the partitions
  double coefficient = 0; ///< mean over these, of the standardised value
};

/// Rows whose probabilities lie between two bounds, and how many of them need simulation.
struct ReliabilityBin {
  double low = 0;
  double high = 1;
  std::size_t rows = 0;
  double predicted = 0; ///< mean probability
  double observed = 0;  ///< share that needs simulation
};

/// A program that was left out of the training, and how its rows were told.
struct LeftOutProgram {
  std::string program = {};
  std::size_t rows = 0;
  std::size_t needed = 0;
  std::size_t wrong = 0;
  std::size_t missed = 0;
  std::size_t outside = 0; ///< rows outside of what was trained on
};

/// How answers are wrong of each program, told by models of some of the others.
struct LearningPoint {
  std::size_t programs = 0; ///< in each model's training
  std::size_t models = 0;   ///< that told the programs; rows of one answer make none
  ErrorRates rates = {};    ///< over all of their answers
};

/// How answers about a threshold are wrong.
struct ThresholdRates {
  double threshold = 0; ///< a difference, as a share
  ErrorRates rates = {};
};

/// How good advice is.
struct Evaluation {
  std::size_t rows = 0;
  std::size_t needed = 0;
  /// By the paper's protocol: 100 random partitions of 80 and 20 %, means trimmed by 2 % at each end (section VI.A).
  /// Rows of one program are on both sides: it flatters.
  /// Nothing where no partition could be tested.
  std::optional<ErrorRates> partitions = {};
  std::vector<SelectedFeature> selected = {};
  /// Each program told by a model of the others; nothing where there are no others.
  std::optional<ErrorRates> programs = {};
  /// The same models asked about 1, 2, 5 and 10 %: others than they were trained for are told by the curve through the
  /// probability of that one.
  std::vector<ThresholdRates> thresholds = {};
  /// Shares of these answers whose figure lies in the interval of four of five: the difference, what simulation costs.
  double difference_within = 0;
  double cost_within = 0;
  /// Shares of wrong answers where a run is outside of what was trained on, and where not.
  double outside_wrong = 0;
  double inside_wrong = 0;
  std::vector<LeftOutProgram> left_out = {};
  std::vector<ReliabilityBin> reliability = {}; ///< of the programs left out
  double never_wrong = 0;                       ///< share of wrong answers of "never simulate"
  double sensitive_wrong = 0;                   ///< likewise of "simulate exactly what is sensitive to bandwidth"
  std::vector<LearningPoint> curve = {};        ///< by EvaluationOptions::curve
};

/// How an evaluation is made.
struct EvaluationOptions {
  TrainingOptions training = {};
  std::size_t partitions = 100;
  std::uint64_t seed = 1;
  std::vector<std::size_t> curve = {}; ///< numbers of programs to train on
  std::size_t draws = 10;              ///< random choices of so many, for each program that is told
};

/// Evaluates. The same data, options and seed give the same figures. Throws as train() does.
Evaluation evaluate(const AdvisorData& data, const EvaluationOptions& options);

} // namespace timeless::analysis
