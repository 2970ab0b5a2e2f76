#pragma once

#include "analysis/advisor/data_set.h"
#include "analysis/advisor/evaluation.h"
#include "analysis/advisor/features.h"
#include "analysis/advisor/training.h"
#include "tools/advising/named_parts.h"
#include "tools/replaying/prediction.h"

#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

/// What is asked of a run on a platform.
struct AdviceRequest {
  PredictionOptions prediction = {};
  std::string model = {};                ///< a file of timeless advise train
  std::optional<double> threshold = {};  ///< the difference that matters; unset: the model's
  double miss_cost = 1;                  ///< of an unseen difference, in simulations in vain
  PartsBy by = PartsBy::nothing;         ///< of each of these parts alone, too
  std::vector<std::string> symbols = {}; ///< directories with the program's files
};

/// Whether to simulate a part of a run.
struct PartAdvice {
  std::string name = {}; ///< empty: what lies in no region
  analysis::AdvisorRow row = {};
  analysis::SimulationAdvice advice = {};
  std::string because = {}; ///< why it cannot be told; row and advice are empty then

  /// Returns whether something can be said of it.
  bool told() const { return because.empty() && advice.outside.empty(); }
};

/// Whether to simulate a run on a platform.
struct AdviceAnswer {
  std::string trace = {};
  std::string platform = {};
  analysis::AdvisorRow row = {};
  analysis::TrainedModel model = {};
  analysis::SimulationAdvice advice = {};
  double threshold = 0.02; ///< the difference that matters, as a share
  double least = 0.5;      ///< the probability from which simulation is advised
  std::optional<analysis::BusiestLink> busiest = {};
  double simulation_seconds = 0;             ///< of the processor, as in the training
  analysis::Interval likely_simulation = {}; ///< where four of five such runs lie
  PartsBy by = PartsBy::nothing;
  std::vector<PartAdvice> parts = {}; ///< where asked for; what lies in no region last
  std::vector<std::string> notes = {};
  std::string lack = {}; ///< what the recording lacks, if anything

  bool simulate() const { return advice.probability >= least; }
  bool simulate(const PartAdvice& part) const { return part.advice.probability >= least; }
  bool outside() const { return !advice.outside.empty(); }
};

/// Returns what a label's rows do, "differ by more than 2 %", as a part of a sentence.
std::string label_words(analysis::AdvisorLabel label, double threshold);
/// Returns how likely the two times differ, as a part of a sentence.
std::string chance_words(const AdviceAnswer& answer);
/// Returns by what the run is outside of what the model was trained on: "its 4 ranks, log_busiest_link".
std::string outside_words(const AdviceAnswer& answer);

/// Answers. Throws as examine_case() and read_advisor_model().
AdviceAnswer answer_advice(const AdviceRequest& request);

/// What a model was trained on, and where it is.
struct TrainingAnswer {
  std::string data = {};
  std::string output = {};
  analysis::TrainedModel model = {};
};

/// How good models of some data are.
struct EvaluationAnswer {
  std::string data = {};
  double threshold = 0.02;
  analysis::AdvisorLabel label = analysis::AdvisorLabel::total;
  std::size_t partitions = 0;
  analysis::Evaluation evaluation = {};
};

/// Returns the names that --features gives: "paper", "own", "all", or a list of names. Throws Error.
std::vector<std::string> named_features(const std::string& words);

} // namespace timeless::tools
