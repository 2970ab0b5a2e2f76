#include "analysis/advisor/evaluation.h"

#include "analysis/advisor/features.h"
#include "base/error.h"
#include "base/mixing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

namespace timeless::analysis {

namespace {

/// Answers with their probabilities, as they are counted.
class Tally {
public:
  void add(bool needed, double probability) {
    const bool advised = probability > 0.5;
    (needed ? positives_ : negatives_) += 1;
    if (needed && !advised) missed_ += 1;
    if (!needed && advised) unneeded_ += 1;
    constexpr double clip = 1e-15;
    const double right = std::clamp(needed ? probability : 1 - probability, clip, 1 - clip);
    log_loss_ -= std::log(right);
    brier_ += (1 - right) * (1 - right);
  }
  bool empty() const { return positives_ + negatives_ == 0; }
  ErrorRates rates() const {
    const double all = positives_ + negatives_;
    const auto share = [](double some, double of) { return of > 0 ? some / of : 0; };
    return {share(missed_ + unneeded_, all), share(missed_, positives_), share(unneeded_, negatives_),
            share(log_loss_, all), share(brier_, all)};
  }

private:
  double positives_ = 0;
  double negatives_ = 0;
  double missed_ = 0;
  double unneeded_ = 0;
  double log_loss_ = 0;
  double brier_ = 0;
};

double trimmed_mean(std::vector<double> values) {
  std::ranges::sort(values);
  const auto cut = static_cast<std::size_t>(0.02 * static_cast<double>(values.size()));
  const std::span<const double> kept = std::span(values).subspan(cut, values.size() - 2 * cut);
  return std::accumulate(kept.begin(), kept.end(), 0.0) / static_cast<double>(kept.size());
}

/// Deals numbers at random, the same for the same seed.
std::vector<std::size_t> shuffled(std::vector<std::size_t> numbers, std::uint64_t seed) {
  for (std::size_t left = numbers.size(); left > 1; --left)
    std::swap(numbers[left - 1], numbers[splitmix64(seed + left * 0x9e3779b97f4a7c15U) % left]);
  return numbers;
}

bool within(const Interval& interval, double value) {
  return value >= interval.low && value <= interval.high;
}

bool one_answer(const std::vector<bool>& needed, std::span<const std::size_t> rows) {
  return std::ranges::all_of(rows, [&](std::size_t row) { return needed[row] == needed[rows.front()]; });
}

void evaluate_partitions(Evaluation& evaluation, const AdvisorData& data, const std::vector<bool>& needed,
                         const EvaluationOptions& options) {
  std::vector<std::size_t> all(data.rows.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::map<std::string, std::vector<double>> coefficients;
  std::vector<ErrorRates> rates;
  std::size_t models = 0;
  for (std::size_t partition = 0; partition < options.partitions; ++partition) {
    const std::vector<std::size_t> dealt = shuffled(all, mix_bits(options.seed) + partition);
    const auto training = static_cast<std::size_t>(std::lround(0.8 * static_cast<double>(dealt.size())));
    const std::span<const std::size_t> rows = std::span(dealt).first(training);
    if (one_answer(needed, rows)) continue;
    const TrainedModel model = train(data, rows, options.training);
    ++models;
    for (const TrainedFeature& feature : model.features)
      coefficients[feature.name].push_back(feature.coefficient);
    Tally tally;
    for (const std::size_t row : std::span(dealt).subspan(training))
      if (!data.rows[row].synthetic) tally.add(needed[row], model.advise(data.rows[row].features).probability);
    if (!tally.empty()) rates.push_back(tally.rates());
  }
  ErrorRates means;
  for (double ErrorRates::*const rate :
       {&ErrorRates::wrong, &ErrorRates::missed, &ErrorRates::unneeded, &ErrorRates::log_loss, &ErrorRates::brier}) {
    std::vector<double> values;
    for (const ErrorRates& one : rates)
      values.push_back(one.*rate);
    if (!values.empty()) means.*rate = trimmed_mean(std::move(values));
  }
  if (!rates.empty()) evaluation.partitions = means;
  for (const auto& [name, values] : coefficients)
    evaluation.selected.push_back(
        {name, static_cast<double>(values.size()) / static_cast<double>(models),
         std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size())});
  std::ranges::stable_sort(evaluation.selected, std::ranges::greater{}, &SelectedFeature::frequency);
}

void evaluate_programs(Evaluation& evaluation, const AdvisorData& data, const std::vector<bool>& needed,
                       const EvaluationOptions& options) {
  constexpr std::size_t bins = 5;
  const std::size_t messages = feature_place("NoM");
  for (std::size_t bin = 0; bin < bins; ++bin)
    evaluation.reliability.push_back(
        {.low = static_cast<double>(bin) / bins, .high = static_cast<double>(bin + 1) / bins});
  constexpr std::array asked{0.01, 0.02, 0.05, 0.1};
  std::array<Tally, asked.size()> by_threshold;
  Tally tally;
  double difference_within = 0;
  double cost_within = 0;
  double answers = 0;
  Tally outside;
  Tally inside;
  for (const std::string& program : data.programs()) {
    std::vector<std::size_t> others;
    for (std::size_t row = 0; row < data.rows.size(); ++row)
      if (data.rows[row].program != program) others.push_back(row);
    if (others.empty() || one_answer(needed, others)) continue;
    const TrainedModel model = train(data, others, options.training);
    LeftOutProgram left{.program = program};
    for (std::size_t row = 0; row < data.rows.size(); ++row) {
      if (data.rows[row].synthetic || data.rows[row].program != program) continue;
      const SimulationAdvice advice = model.advise(data.rows[row].features);
      tally.add(needed[row], advice.probability);
      (advice.outside.empty() ? inside : outside).add(needed[row], advice.probability);
      answers += 1;
      const double difference = data.rows[row].difference(options.training.label);
      for (std::size_t i = 0; i < asked.size(); ++i)
        by_threshold[i].add(difference > asked[i], model.advise(data.rows[row].features, asked[i]).probability);
      difference_within += within(advice.likely, difference) ? 1 : 0;
      cost_within +=
          within(model.cost.likely(static_cast<double>(data.rows[row].actions), data.rows[row].features[messages]),
                 data.rows[row].smpi_cpu_seconds)
              ? 1
              : 0;
      left.rows += 1;
      left.needed += needed[row] ? 1 : 0;
      left.wrong += needed[row] != (advice.probability > 0.5) ? 1 : 0;
      left.missed += needed[row] && advice.probability <= 0.5 ? 1 : 0;
      left.outside += advice.outside.empty() ? 0 : 1;
      const auto place = std::min(bins - 1, static_cast<std::size_t>(advice.probability * bins));
      ReliabilityBin& bin = evaluation.reliability[place];
      bin.rows += 1;
      bin.predicted += advice.probability;
      bin.observed += needed[row] ? 1 : 0;
    }
    evaluation.left_out.push_back(left);
  }
  for (ReliabilityBin& bin : evaluation.reliability)
    if (bin.rows > 0)
      for (double* sum : {&bin.predicted, &bin.observed})
        *sum /= static_cast<double>(bin.rows);
  if (tally.empty()) return;
  evaluation.programs = tally.rates();
  for (std::size_t i = 0; i < asked.size(); ++i)
    evaluation.thresholds.push_back({asked[i], by_threshold[i].rates()});
  evaluation.difference_within = difference_within / answers;
  evaluation.cost_within = cost_within / answers;
  evaluation.outside_wrong = outside.rates().wrong;
  evaluation.inside_wrong = inside.rates().wrong;
}

/// Returns the point of the curve at so many programs: each program told by models of that many of the others, chosen
/// at random. Generated programs are in each training.
LearningPoint learning_point(const AdvisorData& data, const std::vector<bool>& needed, const EvaluationOptions& options,
                             std::size_t count) {
  const std::vector<std::string> programs = data.programs();
  LearningPoint point{.programs = count};
  Tally tally;
  for (std::size_t told = 0; told < programs.size(); ++told) {
    std::vector<std::size_t> others;
    for (std::size_t program = 0; program < programs.size(); ++program)
      if (program != told) others.push_back(program);
    if (count > others.size()) continue;
    // All of the others are one choice.
    const std::size_t draws = count == others.size() ? 1 : options.draws;
    for (std::size_t draw = 0; draw < draws; ++draw) {
      const std::vector<std::size_t> dealt = shuffled(others, mix_bits(options.seed) + draw);
      std::set<std::string> chosen;
      for (const std::size_t program : std::span(dealt).first(count))
        chosen.insert(programs[program]);
      std::vector<std::size_t> training;
      for (std::size_t row = 0; row < data.rows.size(); ++row)
        if (data.rows[row].synthetic || chosen.contains(data.rows[row].program)) training.push_back(row);
      if (one_answer(needed, training)) continue;
      const TrainedModel model = train(data, training, options.training);
      ++point.models;
      for (std::size_t row = 0; row < data.rows.size(); ++row)
        if (!data.rows[row].synthetic && data.rows[row].program == programs[told])
          tally.add(needed[row], model.advise(data.rows[row].features).probability);
    }
  }
  point.rates = tally.rates();
  return point;
}

} // namespace

Evaluation evaluate(const AdvisorData& data, const EvaluationOptions& options) {
  const std::size_t programs = data.programs().size();
  for (const std::size_t count : options.curve)
    if (count >= programs)
      throw Error(Failure::usage, fmt::format("of {} programs each has fewer than {} others", programs, count),
                  "--curve", "ask for fewer");
  const std::vector<bool> needed = data.needed(options.training.threshold, options.training.label);
  Evaluation evaluation{.rows = data.rows.size()};
  const std::size_t insensitive = feature_place("CL_ncs");
  std::size_t real = 0;
  for (std::size_t row = 0; row < data.rows.size(); ++row) {
    evaluation.needed += needed[row] ? 1 : 0;
    if (data.rows[row].synthetic) continue;
    ++real;
    evaluation.never_wrong += needed[row] ? 1 : 0;
    evaluation.sensitive_wrong += needed[row] == (data.rows[row].features[insensitive] > 0.5) ? 1 : 0;
  }
  if (real == 0) throw Error(Failure::invalid_input, "no row of a real program to test on", {}, "collect some");
  for (double* rate : {&evaluation.never_wrong, &evaluation.sensitive_wrong})
    *rate /= static_cast<double>(real);
  evaluate_partitions(evaluation, data, needed, options);
  evaluate_programs(evaluation, data, needed, options);
  for (const std::size_t count : options.curve)
    evaluation.curve.push_back(learning_point(data, needed, options, count));
  return evaluation;
}

} // namespace timeless::analysis
