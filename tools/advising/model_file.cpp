#include "tools/advising/model_file.h"

#include "analysis/advisor/features.h"
#include "base/error.h"
#include "replay/network/description.h"

#include <nlohmann/json.hpp>

#include <string>

namespace timeless::tools {

namespace {

constexpr const char* model_format = "timeless.advisor/1";

/// Returns what simulation costs. Models were once written with seconds per action, whatever its messages.
analysis::SimulationCost simulation_cost(const replay::Description& whole) {
  if (!whole.has("simulation_cost"))
    return {.seconds_per_step = whole.number("simulation_seconds_per_action"), .exponent = -1};
  const replay::Description cost = whole.object("simulation_cost");
  cost.allow_only({"seconds_per_step", "exponent", "log_deviation"});
  return {.seconds_per_step = cost.number("seconds_per_step"),
          .exponent = cost.signed_number("exponent"),
          .log_deviation = cost.number("log_deviation")};
}

} // namespace

const char* label_word(analysis::AdvisorLabel label) {
  return label == analysis::AdvisorLabel::total ? "total" : "contention";
}

std::optional<analysis::AdvisorLabel> label_called(std::string_view word) {
  for (const analysis::AdvisorLabel label : {analysis::AdvisorLabel::total, analysis::AdvisorLabel::contention})
    if (word == label_word(label)) return label;
  return std::nullopt;
}

nlohmann::ordered_json to_json(const analysis::TrainedModel& model) {
  nlohmann::ordered_json json{{"format", model_format},
                              {"threshold", model.threshold},
                              {"label", label_word(model.label)},
                              {"intercept", model.intercept},
                              {"rows", model.rows},
                              {"needed", model.needed},
                              {"log_difference", model.log_difference},
                              {"log_difference_deviation", model.log_difference_deviation},
                              {"simulation_cost",
                               {{"seconds_per_step", model.cost.seconds_per_step},
                                {"exponent", model.cost.exponent},
                                {"log_deviation", model.cost.log_deviation}}}};
  if (model.most_ranks > 0) json["ranks"] = {{"least", model.least_ranks}, {"most", model.most_ranks}};
  // Lists in such a file are not empty.
  if (!model.programs.empty()) json["programs"] = model.programs;
  if (model.features.empty()) return json;
  nlohmann::ordered_json& features = json["features"] = nlohmann::ordered_json::array();
  for (const analysis::TrainedFeature& feature : model.features)
    features.push_back({{"name", feature.name},
                        {"coefficient", feature.coefficient},
                        {"slope", feature.slope},
                        {"mean", feature.mean},
                        {"deviation", feature.deviation},
                        {"least", feature.least},
                        {"most", feature.most}});
  return json;
}

analysis::TrainedModel read_advisor_model(const std::filesystem::path& file) {
  using replay::Description;
  const Description whole = Description::read(file);
  whole.demand_format(model_format);
  whole.allow_only({"format", "threshold", "intercept", "rows", "needed", "programs", "features",
                    "simulation_seconds_per_action", "simulation_cost", "log_difference", "log_difference_deviation",
                    "label", "ranks"});
  const std::string label = whole.word_or("label", label_word(analysis::AdvisorLabel::total));
  if (!label_called(label))
    throw Error(Failure::invalid_input, "there is no label '" + label + "'", file.string(),
                "write total or contention");
  analysis::TrainedModel model{.threshold = whole.positive("threshold"),
                               .label = *label_called(label),
                               .intercept = whole.signed_number("intercept"),
                               .log_difference = whole.signed_number("log_difference"),
                               .log_difference_deviation = whole.number("log_difference_deviation"),
                               .rows = whole.whole_number("rows"),
                               .needed = whole.whole_number("needed"),
                               .cost = simulation_cost(whole)};
  if (whole.has("programs")) model.programs = whole.words("programs");
  if (whole.has("ranks")) {
    const Description ranks = whole.object("ranks");
    ranks.allow_only({"least", "most"});
    model.least_ranks = ranks.positive("least");
    model.most_ranks = ranks.positive("most");
  }
  if (!whole.has("features")) return model;
  for (const Description& one : whole.objects("features")) {
    one.allow_only({"name", "coefficient", "slope", "mean", "deviation", "least", "most"});
    const std::string name = one.word("name");
    (void)analysis::feature_place(name);
    model.features.push_back({.name = name,
                              .mean = one.signed_number("mean"),
                              .deviation = one.positive("deviation"),
                              .coefficient = one.signed_number("coefficient"),
                              .slope = one.signed_number("slope"),
                              .least = one.signed_number("least"),
                              .most = one.signed_number("most")});
  }
  return model;
}

} // namespace timeless::tools
