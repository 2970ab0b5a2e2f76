#include "tools/advising/advice_request.h"

#include "base/parsing.h"
#include "tools/advising/examined_case.h"
#include "tools/advising/model_file.h"
#include "tools/cli/trace_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

namespace timeless::tools {

AdviceAnswer answer_advice(const AdviceRequest& request) {
  AdviceAnswer answer{.trace = request.prediction.trace,
                      .model = read_advisor_model(request.model),
                      .least = 1 / (1 + request.miss_cost)};
  answer.threshold = request.threshold.value_or(answer.model.threshold);
  const auto source = open_trace(request.prediction.trace, request.prediction.from);
  answer.by = request.by;
  NamedParts named;
  if (request.by == PartsBy::region) named = parts_by_region(*source, answer.trace);
  if (request.by == PartsBy::phase) named = parts_by_phase(*source, answer.trace);
  if (request.by == PartsBy::function) named = parts_by_function(*source, answer.trace, request.symbols);
  std::vector<ExaminedPart> parts;
  ExaminedCase examined = request.by == PartsBy::nothing
                              ? examine_case(*source, request.prediction, Simulations::none)
                              : examine_case_by_parts(*source, request.prediction, named, parts);
  answer.platform = examined.platform;
  answer.row = std::move(examined.rows.front());
  answer.busiest = examined.busiest;
  answer.notes = examined.notes;
  answer.lack = incompleteness(source->run());
  if (std::string made = extrapolation_words(source->run()); !made.empty()) answer.notes.push_back(std::move(made));
  std::ranges::copy(named.notices, std::back_inserter(answer.notes));
  answer.advice = answer.model.advise(answer.row.features, answer.threshold);
  const auto actions = static_cast<double>(answer.row.actions);
  const double messages = answer.row.features[analysis::feature_place("NoM")];
  answer.simulation_seconds = answer.model.cost.seconds(actions, messages);
  answer.likely_simulation = answer.model.cost.likely(actions, messages);
  for (ExaminedPart& part : parts) {
    PartAdvice& one = answer.parts.emplace_back(
        PartAdvice{.name = std::move(part.name), .row = std::move(part.row), .because = std::move(part.because)});
    if (one.because.empty() && one.row.actions > 0)
      one.advice = answer.model.advise(one.row.features, answer.threshold);
  }
  // What no rank does, or does in no time, has no features.
  std::erase_if(answer.parts,
                [](const PartAdvice& part) { return part.because.empty() && !(part.row.model_seconds > 0); });
  return answer;
}

std::string label_words(analysis::AdvisorLabel label, double threshold) {
  return label == analysis::AdvisorLabel::total
             ? fmt::format("differ by more than {:g} %", 100 * threshold)
             : fmt::format("take more than {:g} % longer for contention", 100 * threshold);
}

std::string chance_words(const AdviceAnswer& answer) {
  const double percent = 100 * answer.threshold;
  const std::string differs = answer.model.label == analysis::AdvisorLabel::total
                                  ? fmt::format("SMPI differs by more than {:g} %", percent)
                                  : fmt::format("contention adds more than {:g} % to SMPI's time", percent);
  return fmt::format("{} with a probability of {:.0f} %", differs, 100 * answer.advice.probability);
}

std::string outside_words(const AdviceAnswer& answer) {
  std::string words;
  for (const std::string& feature : answer.advice.outside) {
    const double ranks = answer.row.features[analysis::feature_place("R")];
    words += words.empty() ? "" : ", ";
    words += feature == "R" ? fmt::format("its {:g} rank{}", ranks, ranks == 1 ? "" : "s") : feature;
  }
  return words;
}

std::vector<std::string> named_features(const std::string& words) {
  if (words == "paper" || words == "own") return analysis::feature_names(words == "paper");
  std::vector<std::string> names;
  if (words == "all") {
    for (const analysis::Feature& feature : analysis::features())
      names.emplace_back(feature.name);
    return names;
  }
  for (const std::string_view name : split(words, ',')) {
    (void)analysis::feature_place(name);
    names.emplace_back(name);
  }
  return names;
}

} // namespace timeless::tools
