#include "tools/render/validation/validation.h"

#include "tools/cli/console.h"
#include "tools/render/figures.h"

#include <nlohmann/json.hpp>

namespace timeless::tools {

namespace {

using analysis::ValidatedTime;
using nlohmann::ordered_json;

std::string error_words(const ValidatedTime& compared) {
  return compared.measured > 0 ? fmt::format("{:+.1f}", 100 * compared.error()) : "-";
}

void add_row(Table& table, const std::string& name, const ValidatedTime& compared, bool verdict = true) {
  table.add({name, human_seconds(compared.predicted), seconds_interval_text(compared.predicted_interval),
             human_seconds(compared.measured), seconds_interval_text(compared.measured_interval), error_words(compared),
             !verdict || compared.distinguishable() ? "" : "not distinguishable"});
}

ordered_json comparison_json(const ValidatedTime& compared) {
  ordered_json item{{"predicted_seconds", compared.predicted},
                    {"predicted_interval_seconds", nullptr},
                    {"measured_seconds", compared.measured},
                    {"measured_interval_seconds", nullptr},
                    {"error", compared.error()},
                    {"distinguishable", compared.distinguishable()}};
  if (compared.predicted_interval)
    item["predicted_interval_seconds"] = {compared.predicted_interval->low, compared.predicted_interval->high};
  if (compared.measured_interval)
    item["measured_interval_seconds"] = {compared.measured_interval->low, compared.measured_interval->high};
  return item;
}

ordered_json parts_json(const std::vector<ValidatedPart>& parts) {
  ordered_json list = ordered_json::array();
  for (const ValidatedPart& part : parts) {
    ordered_json item{{"name", part.places.empty() ? part.name : part.name + " " + part.places}};
    item.update(comparison_json(part.time));
    list.push_back(std::move(item));
  }
  return list;
}

/// Returns whose the makespan's error is, in percent of what was measured.
std::string shares_of_error(const ValidatedPrediction& one) {
  if (!one.measured_computation || !(one.makespan.measured > 0)) return {};
  const double network = 100 * one.measured_computation->error();
  const double whole = 100 * one.makespan.error();
  return text_line(
             "{:<14}{:+.1f} % = network {:+.1f} % (launches' own computations on it: {}) and computation {:+.1f} %",
             "whose error", whole, network, human_seconds(one.measured_computation->predicted), whole - network) +
         text_fact(14, "", "{} mean end of ranks with computation as predicted and calls as measured, {:+.1f} %",
                   human_seconds(one.measured_communication.predicted), 100 * one.measured_communication.error());
}

Table comparison_table(const std::string& title, const std::string& interval_by) {
  return Table({title, "predicted", "by " + interval_by, "measured", "launches", "error %", ""});
}

std::string parts_text(const char* title, const std::vector<ValidatedPart>& parts, double whole,
                       const std::string& interval_by) {
  constexpr double worth_a_line = 0.002;
  Table table = comparison_table(title, interval_by);
  std::string places;
  bool any = false;
  for (const ValidatedPart& part : parts) {
    if (std::max(part.time.predicted, part.time.measured) < worth_a_line * whole) continue;
    add_row(table, part.name, part.time);
    if (!part.places.empty()) places += text_line("  {:<5} {}", part.name, part.places);
    any = true;
  }
  if (!any) return {};
  return "\n" + table.text() + (places.empty() ? "" : "\n" + places);
}

std::string prediction_text(const ValidatedPrediction& one, const std::string& interval_by) {
  Table table = comparison_table(one.backend, interval_by);
  add_row(table, "makespan", one.makespan);
  add_row(table, "computation", one.computing);
  add_row(table, "communication", one.communication);
  std::string text = table.text() + shares_of_error(one);
  text += parts_text("call, mean of ranks", one.calls, one.makespan.measured, interval_by);
  text += parts_text("kernel, mean of ranks", one.kernels, one.makespan.measured, interval_by);
  text += "\n" + text_fact(14, "machine", "{}", one.machine);
  if (!one.mapping.empty()) text += text_fact(14, "mapping", "{}", one.mapping);
  for (const std::string& note : one.notes)
    text += text_fact(14, "note", "{}", note);
  return text + "\n";
}

} // namespace

ordered_json to_json(const Validation& validation) {
  ordered_json answer{{"command", validation.command},
                      {"program", validation.program},
                      {"ranks", validation.ranks},
                      {"kind", name(validation.kind)},
                      {"because", validation.why},
                      {"compute", validation.compute},
                      {"launches_seconds", validation.makespans},
                      {"polling_seconds", validation.polling},
                      {"noise", nullptr},
                      {"notes", validation.notes}};
  if (validation.noise) answer["noise"] = to_json(*validation.noise);
  answer["predictions"] = ordered_json::array();
  for (const ValidatedPrediction& one : validation.predictions) {
    ordered_json item{{"backend", one.backend},
                      {"machine", one.machine},
                      {"mapping", one.mapping.empty() ? ordered_json() : ordered_json(one.mapping)},
                      {"makespan", comparison_json(one.makespan)},
                      {"computation", comparison_json(one.computing)},
                      {"communication", comparison_json(one.communication)},
                      {"with_measured_computation", nullptr},
                      {"with_measured_communication", comparison_json(one.measured_communication)},
                      {"calls", parts_json(one.calls)},
                      {"kernels", parts_json(one.kernels)},
                      {"notes", one.notes}};
    if (one.measured_computation) item["with_measured_computation"] = comparison_json(*one.measured_computation);
    answer["predictions"].push_back(std::move(item));
  }
  return answer;
}

std::string to_text(const Validation& validation) {
  std::string text;
  for (const ValidatedPrediction& one : validation.predictions)
    text += prediction_text(one, validation.interval_by);
  text += text_fact(14, "kind", "{}: {}", name(validation.kind), validation.why);
  if (!validation.compute.empty()) text += text_fact(14, "compute", "{}", validation.compute);
  text += text_fact(14, "program", "{}", validation.program);
  text += text_fact(14, "command", "{}, {} launch{}, {} rank{}", validation.command, validation.makespans.size(),
                    validation.makespans.size() == 1 ? "" : "es", validation.ranks,
                    plural(static_cast<std::uint64_t>(validation.ranks)));
  for (const std::string& note : validation.notes)
    text += text_fact(14, "note", "{}", note);
  return text;
}

} // namespace timeless::tools
