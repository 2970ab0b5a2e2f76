#include "tools/validating/validation_file.h"

#include "base/error.h"
#include "base/files/text_file.h"

#include <nlohmann/json.hpp>

namespace timeless::tools {

namespace {

std::optional<analysis::Interval> interval(const nlohmann::json& time, const char* key) {
  const nlohmann::json bounds = time.value(key, nlohmann::json());
  if (bounds.is_null()) return std::nullopt;
  return analysis::Interval{bounds.at(0).get<double>(), bounds.at(1).get<double>()};
}

analysis::ValidatedTime validated_time_of(const nlohmann::json& time) {
  return {.predicted = time.at("predicted_seconds"),
          .predicted_interval = interval(time, "predicted_interval_seconds"),
          .measured = time.at("measured_seconds"),
          .measured_interval = interval(time, "measured_interval_seconds")};
}

std::optional<analysis::ValidatedTime> time_of(const nlohmann::json& prediction, const char* part) {
  const nlohmann::json time = prediction.value(part, nlohmann::json());
  if (time.is_null()) return std::nullopt;
  return validated_time_of(time);
}

std::vector<ValidatedPart> parts_of(const nlohmann::json& prediction, const char* key) {
  std::vector<ValidatedPart> parts;
  for (const nlohmann::json& part : prediction.value(key, nlohmann::json::array()))
    parts.push_back({.name = part.at("name"), .time = validated_time_of(part)});
  return parts;
}

ValidatedPrediction prediction_of(const nlohmann::json& answer) {
  ValidatedPrediction one;
  one.backend = answer.value("backend", "");
  one.machine = answer.value("machine", "");
  if (const auto mapping = answer.find("mapping"); mapping != answer.end() && !mapping->is_null())
    one.mapping = *mapping;
  one.makespan = validated_time_of(answer.at("makespan"));
  one.computing = time_of(answer, "computation").value_or(analysis::ValidatedTime{});
  one.communication = time_of(answer, "communication").value_or(analysis::ValidatedTime{});
  one.measured_computation = time_of(answer, "with_measured_computation");
  one.measured_communication = time_of(answer, "with_measured_communication").value_or(analysis::ValidatedTime{});
  one.calls = parts_of(answer, "calls");
  one.kernels = parts_of(answer, "kernels");
  one.notes = answer.value("notes", std::vector<std::string>());
  return one;
}

PredictionKind kind_of(const std::string& word) {
  for (const PredictionKind kind :
       {PredictionKind::self_consistency, PredictionKind::re_prediction, PredictionKind::prediction})
    if (word == name(kind)) return kind;
  return PredictionKind::assumption;
}

Validation validation_of(const nlohmann::json& answer) {
  Validation validation;
  validation.command = answer.value("command", "");
  validation.program = answer.value("program", "");
  validation.kind = kind_of(answer.value("kind", ""));
  validation.why = answer.value("because", "");
  validation.compute = answer.value("compute", "");
  validation.ranks = answer.value("ranks", trace::Rank{0});
  validation.makespans = answer.value("launches_seconds", std::vector<double>());
  validation.polling = answer.value("polling_seconds", 0.0);
  if (const nlohmann::json noise = answer.value("noise", nlohmann::json()); !noise.is_null())
    validation.noise = {{.spread = noise.at("spread"), .worst = noise.at("worst")}, noise.at("host")};
  validation.notes = answer.value("notes", std::vector<std::string>());
  for (const nlohmann::json& one : answer.at("predictions"))
    validation.predictions.push_back(prediction_of(one));
  return validation;
}

} // namespace

Validation read_validation(const std::string& file) {
  constexpr std::size_t most = 64U << 20U;
  const std::optional<std::string> text = read_text(file, most);
  if (!text) throw Error(Failure::usage, "no such file", file, "give a file of timeless validate --json");
  std::string why;
  try {
    const nlohmann::json answer = nlohmann::json::parse(*text);
    if (answer.value("schema", "").starts_with("timeless.validate/")) return validation_of(answer);
  } catch (const nlohmann::json::exception& error) {
    why = std::string("; ") + error.what();
  }
  throw Error(Failure::invalid_input, "not an answer of timeless validate --json" + why, file,
              "write one: timeless validate --json ... >" + file);
}

} // namespace timeless::tools
