#include "tools/advising/advice_request.h"

#include "tools/advising/examined_case.h"
#include "tools/advising/model_file.h"
#include "tools/cli/trace_input.h"

#include <filesystem>
#include <sstream>
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

std::vector<std::string> named_features(const std::string& words) {
  if (words == "paper" || words == "own") return analysis::feature_names(words == "paper");
  std::vector<std::string> names;
  if (words == "all") {
    for (const analysis::Feature& feature : analysis::features())
      names.emplace_back(feature.name);
    return names;
  }
  std::istringstream list(words);
  for (std::string name; std::getline(list, name, ',');) {
    (void)analysis::feature_place(name);
    names.push_back(name);
  }
  return names;
}

} // namespace timeless::tools
