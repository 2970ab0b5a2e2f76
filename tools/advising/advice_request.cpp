#include "tools/advising/advice_request.h"

#include "base/parsing.h"
#include "tools/advising/examined_case.h"
#include "tools/advising/model_file.h"
#include "tools/cli/trace_input.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <utility>

namespace timeless::tools {

AdviceAnswer answer_advice(const AdviceRequest& request) {
  AdviceAnswer answer{
      .trace = request.prediction.trace, .model = read_advisor_model(request.model), .least = request.least};
  const auto source = open_trace(request.prediction.trace, request.prediction.from);
  ExaminedCase examined = examine_case(*source, request.prediction, false);
  answer.platform = examined.platform;
  answer.row = std::move(examined.rows.front());
  answer.busiest = examined.busiest;
  answer.notes = examined.notes;
  answer.advice = answer.model.advise(answer.row.features);
  answer.simulation_seconds = answer.model.simulation_seconds_per_action * static_cast<double>(answer.row.actions);
  return answer;
}

std::string chance_words(const AdviceAnswer& answer) {
  return fmt::format("SMPI differs by more than {:g} % with a probability of {:.0f} %", 100 * answer.model.threshold,
                     100 * answer.advice.probability);
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
